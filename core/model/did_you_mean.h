// Guesses what a misspelt name was meant to be.
#ifndef VICINAL_CORE_MODEL_DID_YOU_MEAN_H_
#define VICINAL_CORE_MODEL_DID_YOU_MEAN_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace vicinal {

// How many characters must be inserted, deleted, replaced or swapped with their
// neighbour to make one text the other. Cost: O(a × b).
std::size_t EditDistance(std::string_view a, std::string_view b);

// The candidate with the fewest edits, if those are at most two or a third of
// the text's length; upper and lower case are the same. Empty if there is none.
std::string DidYouMean(std::string_view text,
                       const std::vector<std::string>& candidates);

}  // namespace vicinal

#endif  // VICINAL_CORE_MODEL_DID_YOU_MEAN_H_
