// Command olm-bundle reads the path of a bundle and writes a JSON array of the
// errors and warnings that `operator-sdk bundle validate` has for it, with its
// optional validators but the one that pulls images.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/operator-framework/api/pkg/manifests"
	"github.com/operator-framework/api/pkg/validation"
	"github.com/operator-framework/operator-registry/pkg/lib/bundle"
	"github.com/sirupsen/logrus"
)

var optional = validation.DefaultBundleValidators.WithValidators(
	validation.OperatorHubV2Validator,
	validation.StandardCapabilitiesValidator,
	validation.StandardCategoriesValidator,
	validation.ObjectValidator,
	validation.OperatorGroupValidator,
	validation.GoodPracticesValidator,
)

func main() {
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(folder string) error {
	findings := []string{}
	silent := logrus.New()
	silent.SetOutput(io.Discard)
	// No registry: nothing is pulled.
	image := bundle.NewImageValidator(nil, logrus.NewEntry(silent))
	for _, err := range []error{
		image.ValidateBundleFormat(folder),
		image.ValidateBundleContent(filepath.Join(folder, bundle.ManifestsDir)),
	} {
		if err != nil {
			findings = append(findings, err.Error())
		}
	}
	loaded, err := manifests.GetBundleFromDir(folder)
	if err != nil {
		return fmt.Errorf("reading the bundle: %w", err)
	}
	for _, result := range optional.Validate(loaded.ObjectsToValidate()...) {
		for _, finding := range append(result.Errors, result.Warnings...) {
			findings = append(findings, finding.Error())
		}
	}
	return json.NewEncoder(os.Stdout).Encode(findings)
}
