#include "server/listeners/grpc/node_lists.h"

#include <glog/logging.h>
#include <openssl/evp.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "core/model/field_error.h"
#include "core/model/json_path.h"

namespace vicinal {
namespace {

using Number = std::uint32_t;

// SHA-256: nobody can name a list that others would take for theirs.
class Digest {
 public:
  Digest() : context_(EVP_MD_CTX_new(), &EVP_MD_CTX_free) {
    CHECK(context_ != nullptr);
    CHECK_EQ(EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr), 1);
  }

  void Add(std::string_view text) {
    CHECK_EQ(EVP_DigestUpdate(context_.get(), text.data(), text.size()), 1);
  }

  std::string ToHex() {
    unsigned char bytes[EVP_MAX_MD_SIZE];
    unsigned size = 0;
    CHECK_EQ(EVP_DigestFinal_ex(context_.get(), bytes, &size), 1);
    return absl::BytesToHexString(
        absl::string_view(reinterpret_cast<const char*>(bytes), size));
  }

 private:
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context_;
};

std::size_t BytesOf(std::string_view name) {
  return name.size() + sizeof(Number) + sizeof(std::string_view);
}

absl::Status CheckNames(const v1::NameNodesRequest& message) {
  const JsonPath root;
  const JsonPath names = root.Field("names");
  if (message.names().empty()) return FieldError(names, "required");
  std::size_t bytes = 0;
  for (int i = 0; i < message.names_size(); ++i) {
    const std::string& name = message.names(i);
    const JsonPath path = names.Index(static_cast<std::size_t>(i));
    if (name.empty()) return FieldError(path, "required");
    if (name.find('\n') != std::string::npos) {
      return FieldError(path, "must have no line break");
    }
    bytes += BytesOf(name);
  }
  if (bytes <= NodeList::kMaxBytes) return absl::OkStatus();
  return FieldError(
      names, absl::StrCat(message.names_size(), " names take ", bytes,
                          " bytes: must be at most ", NodeList::kMaxBytes));
}

}  // namespace

absl::StatusOr<std::shared_ptr<const NodeList>> NodeList::Read(
    const v1::NameNodesRequest& message) {
  if (absl::Status status = CheckNames(message); !status.ok()) return status;
  std::shared_ptr<NodeList> list(new NodeList());
  std::size_t size = 0;
  for (const std::string& name : message.names()) {
    size += name.size() + sizeof(Number);
  }
  list->text_.reserve(size);
  list->names_.reserve(static_cast<std::size_t>(message.names_size()));
  Digest digest;
  Number number = 0;
  for (const std::string& name : message.names()) {
    char prefix[sizeof number];
    std::memcpy(prefix, &number, sizeof number);
    ++number;
    list->text_.append(prefix, sizeof prefix);
    const char* const start = list->text_.data() + list->text_.size();
    list->text_ += name;
    list->names_.emplace_back(start, name.size());
    digest.Add(name);
    digest.Add("\n");
  }
  std::vector<std::string_view> sorted = list->names_;
  std::ranges::sort(sorted);
  const auto twice = std::ranges::adjacent_find(sorted);
  if (twice != sorted.end()) {
    const std::size_t later = std::max(NumberOf(twice[0]), NumberOf(twice[1]));
    const JsonPath root;
    const JsonPath names = root.Field("names");
    return FieldError(names.Index(later), Quoted(*twice) + ": named twice");
  }
  list->id_ = digest.ToHex();
  return std::shared_ptr<const NodeList>(std::move(list));
}

std::uint32_t NodeList::NumberOf(std::string_view name) {
  Number number = 0;
  std::memcpy(&number, name.data() - sizeof number, sizeof number);
  return number;
}

std::size_t NodeList::bytes() const {
  return text_.size() + names_.size() * sizeof(std::string_view);
}

void NodeLists::Add(std::shared_ptr<const NodeList> list) {
  const MutexLock lock(mutex_);
  const auto known = by_id_.find(list->id());
  if (known != by_id_.end()) {
    used_.splice(used_.begin(), used_, known->second);
    return;
  }
  bytes_ += list->bytes();
  used_.push_front(std::move(list));
  by_id_[used_.front()->id()] = used_.begin();
  while (used_.size() > kMaxLists || bytes_ > kMaxBytes) {
    bytes_ -= used_.back()->bytes();
    by_id_.erase(used_.back()->id());
    used_.pop_back();
  }
}

std::shared_ptr<const NodeList> NodeLists::Find(const std::string& id) {
  const MutexLock lock(mutex_);
  const auto known = by_id_.find(id);
  if (known == by_id_.end()) return nullptr;
  used_.splice(used_.begin(), used_, known->second);
  return *known->second;
}

}  // namespace vicinal
