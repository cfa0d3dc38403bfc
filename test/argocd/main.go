// Command links reads from standard input what argocd-cm has as resource.links
// and a list of objects, and writes what Argo CD's own code makes of each.
package main

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/argoproj/argo-cd/v3/server/deeplinks"
	"github.com/argoproj/argo-cd/v3/util/settings"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

type outcome struct {
	URLs   []string `json:"urls"`
	Errors []string `json:"errors"`
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	var asked struct {
		Links   string
		Objects []unstructured.Unstructured
	}
	if err := json.NewDecoder(os.Stdin).Decode(&asked); err != nil {
		return fmt.Errorf("reading the question: %w", err)
	}
	// As util/settings reads the key.
	var links []settings.DeepLink
	if err := yaml.Unmarshal([]byte(asked.Links), &links); err != nil {
		return fmt.Errorf("reading the links: %w", err)
	}
	outcomes := make([]outcome, 0, len(asked.Objects))
	for _, object := range asked.Objects {
		found, errors := deeplinks.EvaluateDeepLinksResponse(
			deeplinks.CreateDeepLinksObject(&object, nil, nil, nil), object.GetName(), links)
		one := outcome{URLs: []string{}, Errors: errors}
		for _, link := range found.Items {
			one.URLs = append(one.URLs, link.GetUrl())
		}
		outcomes = append(outcomes, one)
	}
	return json.NewEncoder(os.Stdout).Encode(outcomes)
}
