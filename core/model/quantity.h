// resource.Quantity: an amount of a resource, such as "500m" or "1.5Gi".
// Source: k8s.io/apimachinery/pkg/api/resource/{quantity,amount,scale_int}.go.
//
// Like upstream's, a quantity has two forms, because it shows where numbers get
// large: 64 bits with a decimal exponent, and an arbitrary decimal. A Value()
// that does not fit into 64 bits is cut to its low 64 bits in the second form,
// in the first one it depends on the exponent whether it is cut or 0. What is
// written with at most 18 digits and a decimal suffix has the first form.
#ifndef VICINAL_CORE_MODEL_QUANTITY_H_
#define VICINAL_CORE_MODEL_QUANTITY_H_

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace vicinal {

class Quantity {
 public:
  Quantity() = default;  // 0
  static Quantity FromValue(std::int64_t value) { return {value, 0}; }
  static Quantity FromMilliValue(std::int64_t milli) { return {milli, -3}; }

  // Suffixes n u m k M G T P E, Ki Mi Gi Ti Pi Ei, and exponents such as e3
  // or E-2. What is finer than a nano unit is rounded away from zero; with a
  // binary suffix, what exceeds 2^63 - 1 is capped there. The error is one of
  // upstream's three texts. Two limits upstream does not have, far outside of
  // what it can compute with: texts are at most 4096 characters long (longer
  // ones are an error), exponents at most 4096 (larger ones count as that).
  static absl::StatusOr<Quantity> Parse(std::string_view text);

  // In units, respectively thousandths, rounded up (see quantity.cc for
  // negative amounts). See above for what does not fit.
  std::int64_t Value() const { return ScaledValue(0); }
  std::int64_t MilliValue() const { return ScaledValue(-3); }

  bool IsZero() const;

  // Exact, whatever the size.
  Quantity& operator+=(const Quantity& other);
  friend std::weak_ordering operator<=>(const Quantity& a, const Quantity& b);
  friend bool operator==(const Quantity& a, const Quantity& b) {
    return (a <=> b) == 0;
  }

 private:
  struct Decimal;

  Quantity(std::int64_t value, std::int32_t scale)
      : value_(value), scale_(scale) {}
  explicit Quantity(Decimal decimal);

  Decimal AsDecimal() const;
  std::int64_t ScaledValue(std::int32_t scale) const;
  bool AddInt64(const Quantity& other);

  // value_ × 10^scale_, unless decimal_ is set.
  std::int64_t value_ = 0;
  std::int32_t scale_ = 0;
  std::shared_ptr<const Decimal> decimal_;
};

// v1.ResourceList: resource name to amount.
using ResourceList = std::map<std::string, Quantity, std::less<>>;

}  // namespace vicinal

#endif  // VICINAL_CORE_MODEL_QUANTITY_H_
