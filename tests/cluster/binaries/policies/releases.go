package main

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/apiserver/pkg/admission/plugin/cel"
	"k8s.io/apiserver/pkg/cel/environment"
)

// environmentOf returns the CEL environment of a release, such as "1.30". The API server compiles the expressions
// of a new object with the libraries of the release before its own, so that a rollback works.
func environmentOf(release string) (*environment.EnvSet, error) {
	parsed, err := version.ParseMajorMinor(release)
	if err != nil {
		return nil, fmt.Errorf("release %q: %w", release, err)
	}
	return environment.MustBaseEnvSet(version.MajorMinor(parsed.Major(), parsed.Minor()-1)), nil
}

func compilerOf(release string) (*cel.CompositedCompiler, error) {
	env, err := environmentOf(release)
	if err != nil {
		return nil, err
	}
	return cel.NewCompositedCompiler(env)
}
