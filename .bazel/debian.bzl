"""Debian 12's libraries as Bazel targets, and what Debian's offline Bazel needs to build C++ at all.

Headers are in /usr/include already, so each library is only its link options,
asked from pkg-config: @debian//:absl_status, @debian//:glog, and so on.
"""

# Target name -> pkg-config modules.
_LIBRARIES = {
    "absl_cleanup": ["absl_cleanup"],
    "absl_core_headers": ["absl_core_headers"],
    "absl_flat_hash_map": ["absl_flat_hash_map"],
    "absl_status": ["absl_status"],
    "absl_statusor": ["absl_statusor"],
    "absl_strings": ["absl_strings", "absl_str_format"],
    "absl_time": ["absl_time"],
    "glog": ["libglog"],
    "grpc": ["grpc++", "protobuf"],
    "gtest_main": ["gmock_main"],
    "jemalloc": ["jemalloc"],
    "json": ["nlohmann_json"],
    "nghttp2": ["libnghttp2"],
    "openssl": ["openssl"],
    "prometheus": ["prometheus-cpp-core"],
    "simdjson": ["simdjson"],
    "yaml_cpp": ["yaml-cpp"],
}

# Libraries beside them that have no pkg-config file.
_EXTRA_LINKOPTS = {
    "grpc": ["-lgrpc++_reflection"],
}

# Header-only libraries without a pkg-config file: target name -> a header that must exist.
_HEADER_ONLY = {
    "beast": "/usr/include/boost/beast.hpp",
    "cli11": "/usr/include/CLI/CLI.hpp",
}

def _debian_libraries_impl(ctx):
    build = ['load("@rules_cc//cc:defs.bzl", "cc_library")', 'package(default_visibility = ["//visibility:public"])']
    for name, modules in _LIBRARIES.items():
        result = ctx.execute(["pkg-config", "--libs"] + modules)
        if result.return_code != 0:
            fail("pkg-config does not know %s: install its -dev package (server/run does).\n%s" % (modules, result.stderr))
        linkopts = [option for option in result.stdout.strip().split(" ") if option] + _EXTRA_LINKOPTS.get(name, [])
        build.append("cc_library(name = %r, linkopts = %r)" % (name, linkopts))
    for name, header in _HEADER_ONLY.items():
        if not ctx.path(header).exists:
            fail("%s is missing: install its -dev package (server/run does)." % header)
        build.append("cc_library(name = %r, linkopts = ['-lpthread'])" % name)
    ctx.file("BUILD.bazel", "\n".join(build))

_debian_libraries = repository_rule(implementation = _debian_libraries_impl, local = True)

# Debian's Bazel cannot fetch rules_cc; its rules are Bazel's native ones under another name.
_CC_RULES = ["cc_binary", "cc_import", "cc_library", "cc_proto_library", "cc_test", "cc_toolchain", "cc_toolchain_suite", "objc_library"]

def _native_rules_cc_impl(ctx):
    ctx.file("BUILD.bazel", "")
    ctx.file("cc/BUILD.bazel", "")
    ctx.file("cc/defs.bzl", "\n".join(["%s = native.%s" % (rule, rule) for rule in _CC_RULES]))

_native_rules_cc = repository_rule(implementation = _native_rules_cc_impl)

def _empty_coverage_tools_impl(ctx):
    ctx.file("BUILD.bazel", "\n".join([
        'filegroup(name = "%s", visibility = ["//visibility:public"])' % name
        for name in ["coverage_report_generator", "lcov_merger"]
    ]))

_empty_coverage_tools = repository_rule(implementation = _empty_coverage_tools_impl)

def debian_repositories():
    _debian_libraries(name = "debian")
    if not native.bazel_version:  # True for Debian's build of Bazel only.
        _native_rules_cc(name = "rules_cc")
        _empty_coverage_tools(name = "remote_coverage_tools")
        native.local_repository(name = "rules_java", path = "/usr/share/bazel/rules/java")
