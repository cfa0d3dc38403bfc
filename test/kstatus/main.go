// Command kstatus reads a JSON array of Kubernetes objects from standard input
// and writes a JSON array of what kstatus says of each, in the same order.
package main

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

type verdict struct {
	Status  status.Status `json:"status"`
	Message string        `json:"message"`
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	var objects []json.RawMessage
	if err := json.NewDecoder(os.Stdin).Decode(&objects); err != nil {
		return fmt.Errorf("reading the objects: %w", err)
	}
	verdicts := make([]verdict, 0, len(objects))
	for i, raw := range objects {
		// Decodes whole numbers as kstatus expects them.
		var object unstructured.Unstructured
		if err := object.UnmarshalJSON(raw); err != nil {
			return fmt.Errorf("object %d: %w", i, err)
		}
		result, err := status.Compute(&object)
		if err != nil {
			return fmt.Errorf("object %d: %w", i, err)
		}
		verdicts = append(verdicts, verdict{Status: result.Status, Message: result.Message})
	}
	return json.NewEncoder(os.Stdout).Encode(verdicts)
}
