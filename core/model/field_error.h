// Error texts in the words of k8s.io/apimachinery/pkg/util/validation/field.
//
// Users meet these texts in the conditions of their pods, so they are the same
// to the letter.
#ifndef VICINAL_CORE_MODEL_FIELD_ERROR_H_
#define VICINAL_CORE_MODEL_FIELD_ERROR_H_

#include <string>
#include <string_view>
#include <vector>

namespace vicinal {

// Go's strconv.Quote for the characters that occur in names and labels: quotes,
// backslashes and control characters are escaped.
std::string Quoted(std::string_view text);

// A list of strings as the value of an error: JSON as Go writes it. A list that
// is empty counts as absent: null.
std::string QuotedList(const std::vector<std::string>& values);

// `path: Invalid value: "bad": detail`; `rendered_value` comes from Quoted or
// QuotedList.
std::string InvalidValue(std::string_view path, std::string_view rendered_value,
                         std::string_view detail);

// `path: Unsupported value: "bad": supported values: "a", "b"`.
std::string UnsupportedValue(std::string_view path, std::string_view value,
                             const std::vector<std::string_view>& supported);

// A Go aggregate error: one text as it is, several distinct ones as
// `[first, second]`, repeated ones once. `errors` must not be empty.
std::string AggregateError(const std::vector<std::string>& errors);

}  // namespace vicinal

#endif  // VICINAL_CORE_MODEL_FIELD_ERROR_H_
