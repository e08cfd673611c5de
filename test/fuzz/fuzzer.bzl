"""Fuzzers of decoders."""

load("@rules_cc//cc:defs.bzl", "cc_binary", "cc_library", "cc_test")

def fuzzer(name, deps, tags = []):
    """One fuzzer: <name>_fuzz.cc defines LLVMFuzzerTestOneInput.

    Makes <name>_fuzz, with libFuzzer, to be built with --config=fuzz only, and
    <name>_corpus_test, which has the tags and runs the files of corpus/<name>/
    in every build.
    """
    cc_library(
        name = name + "_input",
        testonly = True,
        srcs = [name + "_fuzz.cc"],
        alwayslink = True,
        deps = deps,
    )
    cc_binary(
        name = name + "_fuzz",
        testonly = True,
        srcs = ["quiet.cc"],
        linkopts = ["-fsanitize=fuzzer"],
        tags = ["manual"],
        deps = [
            ":" + name + "_input",
            "@debian//:glog",
        ],
    )
    corpus = native.glob(["corpus/%s/*" % name])
    cc_test(
        name = name + "_corpus_test",
        srcs = ["replay.cc"],
        args = ["$(location %s)" % file for file in corpus],
        data = corpus,
        tags = tags,
        deps = [
            ":" + name + "_input",
            "@debian//:glog",
        ],
    )
