package main

import (
	"encoding/base64"
	"fmt"
	"math"
	"sort"
	"strconv"
	"time"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"k8s.io/apimachinery/pkg/api/resource"
)

// typed returns a CEL value as a pair of the name of its type and a value that JSON can hold without loss.
func typed(value ref.Val) [2]any {
	switch each := value.(type) {
	case types.Bool, types.Int, types.Uint, types.String:
		return [2]any{each.Type().TypeName(), each.Value()}
	case types.Null:
		return [2]any{"null_type", nil}
	case types.Double:
		number := float64(each)
		if math.IsNaN(number) || math.IsInf(number, 0) {
			return [2]any{"double", strconv.FormatFloat(number, 'g', -1, 64)}
		}
		return [2]any{"double", number}
	case types.Bytes:
		return [2]any{"bytes", base64.StdEncoding.EncodeToString(each)}
	case types.Duration:
		return [2]any{"duration", each.Duration.String()}
	case types.Timestamp:
		return [2]any{"timestamp", each.Time.UTC().Format(time.RFC3339Nano)}
	case *types.Optional:
		if !each.HasValue() {
			return [2]any{"optional", nil}
		}
		return [2]any{"optional", typed(each.GetValue())}
	case traits.Mapper:
		return [2]any{"map", entries(each)}
	case traits.Lister:
		return [2]any{"list", items(each)}
	case *types.Type:
		return [2]any{"type", each.TypeName()}
	case *types.Err:
		return [2]any{"error", each.Error()}
	}
	if quantity, ok := value.Value().(*resource.Quantity); ok {
		return [2]any{value.Type().TypeName(), quantity.String()}
	}
	return [2]any{value.Type().TypeName(), fmt.Sprint(value.Value())}
}

func items(list traits.Lister) []any {
	found := []any{}
	for at := list.Iterator(); at.HasNext() == types.True; {
		found = append(found, typed(at.Next()))
	}
	return found
}

func entries(mapping traits.Mapper) [][2]any {
	found := [][2]any{}
	for at := mapping.Iterator(); at.HasNext() == types.True; {
		key := at.Next()
		found = append(found, [2]any{typed(key), typed(mapping.Get(key))})
	}
	sort.Slice(found, func(one, other int) bool { return fmt.Sprint(found[one][0]) < fmt.Sprint(found[other][0]) })
	return found
}
