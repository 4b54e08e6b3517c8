"""The types of ``k8s.io/apimachinery/pkg/apis/meta/v1`` that Jobs are made of."""
