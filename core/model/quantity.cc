#include "core/model/quantity.h"

#include <algorithm>
#include <boost/multiprecision/cpp_int.hpp>
#include <charconv>
#include <cstdlib>
#include <limits>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "core/model/go_int64.h"

namespace vicinal {
namespace {

using BigInt =
    boost::multiprecision::number<boost::multiprecision::cpp_int_backend<>,
                                  boost::multiprecision::et_off>;

constexpr std::size_t kMaxLength = 4096;
constexpr std::int32_t kMaxExponent = 4096;
constexpr std::int32_t kNano = -9;
constexpr std::int64_t kMaxInt64 = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMinInt64 = std::numeric_limits<std::int64_t>::min();

constexpr char kFormatWrong[] =
    "quantities must match the regular expression "
    "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
constexpr char kNumericWrong[] = "unable to parse numeric part of quantity";
constexpr char kSuffixWrong[] = "unable to parse quantity's suffix";

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// The parts of a quantity's text (parseQuantityString). Among the oddities that
// are upstream's: a number may be missing ("m" is 0), a lone sign is 0.
struct Parts {
  bool positive = true;
  std::string_view value;  // The number with its sign.
  std::string_view num = "0";
  std::string_view denom;
  std::string_view suffix;
};

std::optional<Parts> Split(std::string_view text) {
  Parts parts;
  const std::size_t end = text.size();
  std::size_t pos = 0;
  const auto skip_digits = [&] {
    while (pos < end && IsDigit(text[pos])) ++pos;
  };
  if (text[0] == '-' || text[0] == '+') {
    parts.positive = text[0] == '+';
    ++pos;
  }
  while (pos < end && text[pos] == '0') ++pos;
  if (pos == end) {
    parts.value = parts.num;
    return parts;
  }
  const std::size_t num_start = pos;
  skip_digits();
  if (pos > num_start) parts.num = text.substr(num_start, pos - num_start);
  if (pos < end && text[pos] == '.') {
    const std::size_t denom_start = ++pos;
    skip_digits();
    parts.denom = text.substr(denom_start, pos - denom_start);
  }
  parts.value = text.substr(0, pos);
  parts.suffix = text.substr(pos);
  pos = std::min(text.find_first_not_of("eEinumkKMGTP", pos), end);
  if (pos < end && (text[pos] == '-' || text[pos] == '+')) ++pos;
  skip_digits();
  if (pos < end) return std::nullopt;
  return parts;
}

struct Suffix {
  bool binary;  // Powers of 2, otherwise of 10.
  std::int32_t exponent;
};

std::optional<Suffix> ParseSuffix(std::string_view text) {
  static constexpr std::pair<std::string_view, Suffix> kSuffixes[] = {
      {"", {false, 0}},   {"n", {false, -9}}, {"u", {false, -6}},
      {"m", {false, -3}}, {"k", {false, 3}},  {"M", {false, 6}},
      {"G", {false, 9}},  {"T", {false, 12}}, {"P", {false, 15}},
      {"E", {false, 18}}, {"Ki", {true, 10}}, {"Mi", {true, 20}},
      {"Gi", {true, 30}}, {"Ti", {true, 40}}, {"Pi", {true, 50}},
      {"Ei", {true, 60}},
  };
  for (const auto& [known, suffix] : kSuffixes) {
    if (text == known) return suffix;
  }
  if (text[0] != 'e' && text[0] != 'E') return std::nullopt;
  text.remove_prefix(1);
  if (text.starts_with('+')) text.remove_prefix(1);
  std::int64_t exponent = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), exponent);
  if (error != std::errc() || end != text.data() + text.size()) {
    return std::nullopt;
  }
  // Upstream cuts to 32 bits as well: 1e4294967296 is 1.
  return Suffix{false, std::clamp(static_cast<std::int32_t>(exponent),
                                  -kMaxExponent, kMaxExponent)};
}

// 10^exponent in Go's int64(math.Pow10(exponent)) on amd64.
std::int64_t Pow10Int64(std::int32_t exponent) {
  if (exponent > 18) return kMinInt64;
  std::int64_t power = 1;
  for (std::int32_t i = 0; i < exponent; ++i) power *= 10;
  return power;
}

BigInt Pow10(std::int32_t exponent) {
  return boost::multiprecision::pow(BigInt(10),
                                    static_cast<unsigned>(exponent));
}

// big.Int.Int64: the low 64 bits in two's complement.
std::int64_t Low64(const BigInt& number) {
  const BigInt magnitude = abs(number) & BigInt(~std::uint64_t{0});
  const auto low = static_cast<std::uint64_t>(magnitude);
  return static_cast<std::int64_t>(number.sign() < 0 ? 0 - low : low);
}

// value × 10^scale, scale ≥ 0, if it fits.
std::optional<std::int64_t> ScaleUp(std::int64_t value, std::int32_t scale) {
  if (value == 0) return 0;
  std::int64_t result = 0;
  if (scale > 18 || __builtin_mul_overflow(value, Pow10Int64(scale), &result)) {
    return std::nullopt;
  }
  return result;
}

// The same with what positiveScaleInt64 leaves behind if it does not fit: for
// the scales that upstream has shortcuts for the low 64 bits, otherwise 0.
std::int64_t ScaleUpUnchecked(std::int64_t value, std::int32_t scale) {
  const bool shortcut = scale <= 3 || scale == 6 || scale == 9;
  if (!shortcut || value == kMinInt64) return ScaleUp(value, scale).value_or(0);
  return GoMultiply(value, Pow10Int64(scale));
}

// value / 10^scale, scale ≥ 0, rounded away from zero (negativeScaleInt64).
std::int64_t ScaleDown(std::int64_t value, std::int32_t scale) {
  bool fraction = false;
  for (std::int32_t i = 0; i < scale && value != 0; ++i) {
    fraction = fraction || value % 10 != 0;
    if (value / 10 == 0) return fraction ? (value > 0 ? 1 : -1) : 0;
    value /= 10;
  }
  return fraction ? (value > 0 ? value + 1 : value - 1) : value;
}

}  // namespace

// unscaled × 10^-scale (inf.Dec).
struct Quantity::Decimal {
  BigInt unscaled;
  std::int32_t scale = 0;

  // The same number with a larger scale.
  Decimal UpscaledTo(std::int32_t new_scale) const {
    return {unscaled * Pow10(new_scale - scale), new_scale};
  }

  // Rounded away from zero to nano units.
  Decimal RoundedToNano(std::size_t digits) const {
    const std::int32_t surplus = scale + kNano;
    if (surplus <= 0) return UpscaledTo(-kNano);
    const int sign = unscaled.sign();
    if (static_cast<std::size_t>(surplus) > digits) return {sign, -kNano};
    BigInt quotient;
    BigInt remainder;
    boost::multiprecision::divide_qr(unscaled, Pow10(surplus), quotient,
                                     remainder);
    if (!remainder.is_zero()) quotient += sign;
    return {quotient, -kNano};
  }
};

Quantity::Quantity(Decimal decimal)
    : decimal_(std::make_shared<const Decimal>(std::move(decimal))) {}

absl::StatusOr<Quantity> Quantity::Parse(std::string_view text) {
  if (text.empty() || text.size() > kMaxLength) {
    return absl::InvalidArgumentError(kFormatWrong);
  }
  const std::optional<Parts> parts = Split(text);
  if (!parts) return absl::InvalidArgumentError(kFormatWrong);
  const std::optional<Suffix> suffix = ParseSuffix(parts->suffix);
  if (!suffix) return absl::InvalidArgumentError(kSuffixWrong);

  const auto num_digits = static_cast<std::int32_t>(parts->num.size());
  const auto denom_digits = static_cast<std::int32_t>(parts->denom.size());
  // Digits that 64 bits still have room for.
  std::int32_t precision = -1;
  if (!suffix->binary) {
    precision = 18 - (num_digits + denom_digits);
  } else if (denom_digits == 0) {
    precision = 15 - num_digits - suffix->exponent * 3 / 10 - 1;
  }
  const std::int32_t scale =
      (suffix->binary ? 0 : suffix->exponent) - denom_digits;
  if (precision >= 0 && scale >= kNano) {
    std::int64_t value = 0;
    for (const std::string_view digits : {parts->num, parts->denom}) {
      for (const char digit : digits) value = value * 10 + (digit - '0');
    }
    if (suffix->binary) value <<= suffix->exponent;
    return Quantity(parts->positive ? value : -value, scale);
  }

  std::string digits;
  std::copy_if(parts->value.begin(), parts->value.end(),
               std::back_inserter(digits), IsDigit);
  if (digits.empty()) return absl::InvalidArgumentError(kNumericWrong);
  // A leading 0 would mean octal.
  digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size() - 1));
  Decimal decimal{BigInt(digits), -scale};
  if (suffix->binary) decimal.unscaled <<= suffix->exponent;
  if (!decimal.unscaled.is_zero()) {
    // 2^60 has 19 digits.
    decimal = decimal.RoundedToNano(digits.size() + 19);
  }
  if (suffix->binary &&
      decimal.unscaled > BigInt(kMaxInt64) * Pow10(decimal.scale)) {
    decimal = {kMaxInt64, 0};
  }
  if (!parts->positive) decimal.unscaled = -decimal.unscaled;
  return Quantity(std::move(decimal));
}

bool Quantity::IsZero() const {
  return decimal_ ? decimal_->unscaled.is_zero() : value_ == 0;
}

Quantity::Decimal Quantity::AsDecimal() const {
  if (decimal_) return *decimal_;
  return {value_, -scale_};
}

// The 64-bit form rounds away from zero. The decimal form rounds up; like
// upstream's, by cutting the fraction and adding one, which for a negative
// number within 64 bits is one too many: "-1.5Ki" after adding 0.3 is -1535.
std::int64_t Quantity::ScaledValue(std::int32_t scale) const {
  if (!decimal_) {
    return scale_ < scale ? ScaleDown(value_, scale - scale_)
                          : ScaleUpUnchecked(value_, scale_ - scale);
  }
  const BigInt& unscaled = decimal_->unscaled;
  const std::int32_t surplus = decimal_->scale + scale;
  if (surplus <= 0) {
    return GoMultiply(Low64(unscaled), Pow10Int64(-surplus));
  }
  if (unscaled < BigInt(kMaxInt64) && surplus < 19) {
    const std::int64_t low = Low64(unscaled);
    const std::int64_t divisor = Pow10Int64(surplus);
    return low / divisor + (low % divisor != 0 ? 1 : 0);
  }
  BigInt quotient;
  BigInt remainder;
  boost::multiprecision::divide_qr(unscaled, Pow10(surplus), quotient,
                                   remainder);
  return GoAdd(Low64(quotient), remainder.sign() > 0 ? 1 : 0);
}

// int64Amount.Add; false if the sum does not fit.
bool Quantity::AddInt64(const Quantity& other) {
  if (other.value_ == 0) return true;
  if (value_ == 0) {
    value_ = other.value_;
    scale_ = other.scale_;
    return true;
  }
  const std::int32_t scale = std::min(scale_, other.scale_);
  const std::optional<std::int64_t> mine = ScaleUp(value_, scale_ - scale);
  const std::optional<std::int64_t> theirs =
      ScaleUp(other.value_, other.scale_ - scale);
  std::int64_t sum = 0;
  if (!mine || !theirs || __builtin_add_overflow(*mine, *theirs, &sum)) {
    return false;
  }
  value_ = sum;
  scale_ = scale;
  return true;
}

Quantity& Quantity::operator+=(const Quantity& other) {
  if (!decimal_ && !other.decimal_ && AddInt64(other)) return *this;
  const Decimal mine = AsDecimal();
  const Decimal theirs = other.AsDecimal();
  const std::int32_t scale = std::max(mine.scale, theirs.scale);
  *this = Quantity(Decimal{
      mine.UpscaledTo(scale).unscaled + theirs.UpscaledTo(scale).unscaled,
      scale});
  return *this;
}

std::weak_ordering operator<=>(const Quantity& a, const Quantity& b) {
  if (!a.decimal_ && !b.decimal_ && a.scale_ == b.scale_) {
    return a.value_ <=> b.value_;
  }
  if (!a.decimal_ && !b.decimal_ && std::abs(a.scale_ - b.scale_) <= 18) {
    const std::int32_t lower = std::min(a.scale_, b.scale_);
    return __int128{a.value_} * Pow10Int64(a.scale_ - lower) <=>
           __int128{b.value_} * Pow10Int64(b.scale_ - lower);
  }
  const Quantity::Decimal left = a.AsDecimal();
  const Quantity::Decimal right = b.AsDecimal();
  const std::int32_t scale = std::max(left.scale, right.scale);
  return left.UpscaledTo(scale).unscaled.compare(
             right.UpscaledTo(scale).unscaled) <=> 0;
}

}  // namespace vicinal
