package main

import (
	"context"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
)

type definitionError struct {
	Type   string `json:"type"`
	Field  string `json:"field"`
	Detail string `json:"detail"`
}

// validateDefinition returns the errors with which the API server would reject a new definition.
func validateDefinition(input apiextensionsv1.CustomResourceDefinition) ([]definitionError, error) {
	apiextensionsv1.SetObjectDefaults_CustomResourceDefinition(&input)
	var internal apiextensions.CustomResourceDefinition
	err := apiextensionsv1.Convert_v1_CustomResourceDefinition_To_apiextensions_CustomResourceDefinition(&input, &internal, nil)
	if err != nil {
		return nil, err
	}
	for _, version := range internal.Spec.Versions {
		if version.Storage {
			internal.Status.StoredVersions = []string{version.Name}
		}
	}
	found := []definitionError{}
	for _, each := range validation.ValidateCustomResourceDefinition(context.Background(), &internal) {
		found = append(found, definitionError{string(each.Type), each.Field, each.Detail})
	}
	return found, nil
}
