// One object for each field that vicinal knows, in which nothing else is set:
// whoever copies objects by hand shows with them that no field is forgotten.
#ifndef VICINAL_CORE_TESTING_EACH_FIELD_H_
#define VICINAL_CORE_TESTING_EACH_FIELD_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/model/fields.h"

namespace vicinal {

inline constexpr char kTimeText[] = "2026-01-01T00:00:00Z";

// SetField sets the n-th field in the value (counted through all structs in it)
// and returns the field's path in JSON; absent if there are fewer, and then `n`
// is less by the number of fields. Lists get one element. Fields without which
// a struct cannot be read are set beside it.
inline std::optional<std::string> SetLeaf(int& n, auto set) {
  if (n-- != 0) return std::nullopt;
  set();
  return "";
}
inline std::optional<std::string> SetField(std::string& value, int& n) {
  return SetLeaf(n, [&value] { value = "x"; });
}
inline std::optional<std::string> SetField(bool& value, int& n) {
  return SetLeaf(n, [&value] { value = true; });
}
inline std::optional<std::string> SetField(std::int32_t& value, int& n) {
  return SetLeaf(n, [&value] { value = 7; });
}
inline std::optional<std::string> SetField(std::int64_t& value, int& n) {
  return SetLeaf(n, [&value] { value = 7; });
}
inline std::optional<std::string> SetField(Labels& value, int& n) {
  return SetLeaf(n, [&value] { value.Set("k", "v"); });
}
inline std::optional<std::string> SetField(ResourceList& value, int& n) {
  return SetLeaf(n, [&value] { value["cpu"] = Quantity::FromMilliValue(7); });
}

template <typename T>
std::optional<std::string> SetField(std::optional<T>& value, int& n) {
  T inner{};
  std::optional<std::string> path = SetField(inner, n);
  if (path) value = std::move(inner);
  return path;
}
template <typename T>
std::optional<std::string> SetField(std::vector<T>& values, int& n) {
  T element{};
  std::optional<std::string> path = SetField(element, n);
  if (path) values.push_back(std::move(element));
  return path;
}
template <typename Terms>
std::optional<std::string> SetField(NodeSelectorField<Terms>& field, int& n) {
  return SetField(field.terms, n);
}
template <typename Seconds>
std::optional<std::string> SetField(TimeField<Seconds>& field, int& n) {
  return SetField(field.seconds, n);
}

template <typename Text>
std::optional<std::string> SetField(TimeTextField<Text>& field, int& n) {
  return SetLeaf(n, [&field] { field.text = kTimeText; });
}
template <typename Texts>
std::optional<std::string> SetField(TimeTextsField<Texts>& field, int& n) {
  return SetLeaf(n, [&field] { field.texts.Set("k", kTimeText); });
}

inline void SetRequired(std::string_view name, std::string& value) {
  const bool is_required =
      name == "topologyKey" || name == "whenUnsatisfiable" || name == "name";
  if (is_required && value.empty()) value = "required";
}
inline void SetRequired(std::string_view, PodAffinityTerm& term) {
  SetRequired("topologyKey", term.topology_key);
}
inline void SetRequired(std::string_view, auto&) {}

template <HasFields T>
std::optional<std::string> SetField(T& object, int& n) {
  std::optional<std::string> path;
  VisitFields(object, [&](std::string_view name, int, auto&& member) {
    if (path) return;
    path = SetField(member, n);
    if (path) path = "." + std::string(name) + *path;
  });
  if (path) {
    VisitFields(object, [](std::string_view name, int, auto&& member) {
      SetRequired(name, member);
    });
  }
  return path;
}

template <typename T>
struct OneField {
  std::string path;  // ".spec.nodeName"
  T object;
};

// One object of type T for each of its fields, as reading leaves it: it has the
// name "required", and is in the namespace "default" or, if its kind has none,
// in no namespace.
template <HasFields T>
std::vector<OneField<T>> EachField() {
  constexpr bool kNamespaced = !Is<T, Node> && !Is<T, Namespace>;
  std::vector<OneField<T>> objects;
  for (int field = 0;; ++field) {
    OneField<T> one;
    int n = field;
    const std::optional<std::string> path = SetField(one.object, n);
    if (!path) return objects;
    one.path = *path;
    ObjectMeta& meta = one.object.meta;
    SetRequired("name", meta.name);
    if (meta.namespace_name.empty()) meta.namespace_name = "default";
    if (!kNamespaced) meta.namespace_name.clear();
    objects.push_back(std::move(one));
  }
}

}  // namespace vicinal

#endif  // VICINAL_CORE_TESTING_EACH_FIELD_H_
