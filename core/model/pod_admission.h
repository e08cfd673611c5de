// What the API server does to a pod when it is created.
#ifndef VICINAL_CORE_MODEL_POD_ADMISSION_H_
#define VICINAL_CORE_MODEL_POD_ADMISSION_H_

#include "core/model/pod.h"

namespace vicinal {

// Makes a pod out of a hand-written manifest what it would be in a cluster: one
// without metadata.uid never went through an API server, so it is put into the
// namespace "default" if it has none, and matchLabelKeys and mismatchLabelKeys
// are merged into its affinity terms (MergeLabelKeys). Pods with a uid are left
// alone: for them it has been done.
void AdmitPod(Pod& pod);

}  // namespace vicinal

#endif  // VICINAL_CORE_MODEL_POD_ADMISSION_H_
