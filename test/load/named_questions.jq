# The requests of questions.jq as those of FilterNamed, $batch questions in each,
# about the list $list, in which "node-5" has the number 5 of $nodes.

# Of an array of bytes, three or a multiple.
def base64:
  "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/" as $digits
  | . as $bytes
  | [range(0; length; 3) as $i
     | ($bytes[$i] * 65536 + $bytes[$i + 1] * 256 + $bytes[$i + 2]) as $three
     | (262144, 4096, 64, 1) as $unit
     | ($three / $unit | floor % 64) as $digit
     | $digits[$digit:$digit + 1]]
  | join("");
def bitmap:
  [1, 2, 4, 8, 16, 32, 64, 128] as $bits
  | reduce (.[] | ltrimstr("node-") | tonumber) as $number
      ([range(($nodes / 24 | ceil) * 3) | 0]; .[$number / 8 | floor] += $bits[$number % 8]);
map({pod, candidates: (.nodeNames | bitmap | base64)})
| [range(0; length - $batch + 1; $batch) as $i | {list: $list, questions: .[$i:$i + $batch]}]
