// Has the scheduler try a pod again.
#ifndef VICINAL_SERVER_KUBERNETES_POD_RETRY_H_
#define VICINAL_SERVER_KUBERNETES_POD_RETRY_H_

#include "core/model/object_meta.h"
#include "server/kubernetes/api_client_pool.h"

namespace vicinal {

// What is written; its value is the time. For the scheduler any change of a
// pod that an extender has refused is a reason to try it again (Update in
// pkg/scheduler/backend/queue/scheduling_queue.go).
inline constexpr char kTryAgainAnnotation[] = "vicinal.io/try-again";

// Writes the annotation through the pod's status, which vicinal may patch. Does
// not block; a failure is logged. Thread-safe. The pool must outlive what it
// runs.
void TryAgain(const ObjectMeta& pod, ApiClientPool& pool);

}  // namespace vicinal

#endif  // VICINAL_SERVER_KUBERNETES_POD_RETRY_H_
