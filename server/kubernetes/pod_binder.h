// Writes where pods go through the API.
#ifndef VICINAL_SERVER_KUBERNETES_POD_BINDER_H_
#define VICINAL_SERVER_KUBERNETES_POD_BINDER_H_

#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <functional>
#include <random>
#include <string>

#include "server/kubernetes/api_client_pool.h"
#include "server/kubernetes/pod_binding.h"

namespace vicinal {

// Thread-safe.
class PodBinder {
 public:
  struct Options {
    // Attempts that the API server answers with 409 or 5xx; those that it
    // answers with 429, or not at all, are not counted.
    int max_refusals = 5;
    // The API server ends a request after so long (--request-timeout of
    // kube-apiserver): what it has not written by then it never writes.
    std::chrono::milliseconds settled_after{60'000};
  };

  // The pool must outlive the binder, and the binder the pool's coroutines.
  PodBinder(ApiClientPool& pool, const Options& options)
      : pool_(pool), options_(options) {}

  // Binds the pod of that uid to the node. Names must be those of Kubernetes
  // objects: they become part of the path. Does not block; `done` is called on
  // the pool's thread, or never if the pool ends before.
  //
  // What fails for a moment (429, 409 and 5xx on a pod that stays unbound, a
  // cut connection) is tried again while somebody waits for it. Once a request
  // is on its way, `done` is called only when it is known what has become of
  // it.
  void Bind(const PodBinding& binding, BindCaller caller,
            std::function<void(BindResult)> done);

 private:
  using Clock = std::chrono::steady_clock;
  template <typename T>
  using Awaitable = boost::asio::awaitable<T>;

  Awaitable<BindResult> Write(const PodBinding& binding,
                              const BindCaller& caller);

  ApiClientPool& pool_;
  const Options options_;
  // On the pool's thread only. A device for each binding would take longer than
  // the rest of it.
  std::mt19937_64 seeds_{std::random_device()()};
};

}  // namespace vicinal

#endif  // VICINAL_SERVER_KUBERNETES_POD_BINDER_H_
