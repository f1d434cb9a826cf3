#!/usr/bin/env python3
"""scripts/check finds what it is there to find: each rule is broken once in a small source tree."""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SCRIPTS = pathlib.Path(__file__).resolve().parent.parent.parent / "scripts"
LONG_BODY = "  int x = 0;\n" * 68


class Check(unittest.TestCase):
    def problems(self, files):
        """What the check prints about a tree of these files."""
        with tempfile.TemporaryDirectory() as folder:
            top = pathlib.Path(folder)
            (top / "scripts").mkdir()
            for name in ("check", "cpp_functions.py"):
                shutil.copy(SCRIPTS / name, top / "scripts")
            for name, text in files.items():
                (top / name).parent.mkdir(parents=True, exist_ok=True)
                (top / name).write_text(text, encoding="utf-8")
            done = subprocess.run([sys.executable, top / "scripts" / "check"],
                                  capture_output=True, text=True, check=False)
            self.assertIn(done.returncode, (0, 1), done.stderr)
            found = done.stdout.splitlines()
            self.assertEqual(done.returncode, 0 if found == ["check: no problems"] else 1)
            return "\n".join(found)

    def expect(self, problem, files):
        self.assertIn(problem, self.problems(files))

    def test_a_clean_tree_has_no_problems(self):
        self.assertEqual("check: no problems", self.problems({
            "bench/base/a.h": "#pragma once\n",
            "report/evidence/b.cpp": '#include "bench/base/a.h"\n',
        }))

    def test_includes_point_one_way(self):
        headers = {"report/rules/r.h": "", "bench/base/a.h": "", "kernels/k.h": "", "bench/run.h": ""}
        for user, header in (("report/evidence/e.cpp", "report/rules/r.h"),
                             ("bench/base/a.cpp", "report/rules/r.h"),
                             ("rdma/x.cpp", "kernels/k.h"),
                             ("report/verdict.cpp", "bench/run.h"),
                             ("bench/sensors/s.cpp", "bench/run.h")):
            self.expect(f"{user}:1: may not include",
                        {**headers, user: f'#include "{header}"\n'})

    def test_quotes_are_for_files_of_ours(self):
        self.expect("is no file of ours", {"bench/x.cpp": '#include "vector"\n'})

    def test_outside_headers_have_their_places(self):
        for user, header in (("report/rules/r.cpp", "infiniband/verbs.h"),
                             ("bench/plan.cpp", "benchmark/benchmark.h"),
                             ("bench/run.cpp", "mpi.h"),
                             ("rdma/verbs.cpp", "dlfcn.h"),
                             ("bench/run.cpp", "nlohmann/json.hpp")):
            self.expect(f"{user}:1: <{header}> is not for this file",
                        {user: f"#include <{header}>\n"})

    def test_one_file_knows_the_command_line_library(self):
        one = "#include <CLI/CLI.hpp>\n"
        self.expect("only one file", {"bench/main.cpp": one, "bench/args.cpp": one})
        self.assertNotIn("only one file", self.problems({"bench/main.cpp": one}))

    def test_function_length_has_two_limits(self):
        function = "class A {{\n  A() : x_{{1}} {{\n{}  }}\n}};\n"
        self.expect("71 lines, at most 70", {"bench/x.cpp": function.format(LONG_BODY + "//\n")})
        at_limit = self.problems({"bench/x.cpp": function.format(LONG_BODY)})
        self.assertIn("note: bench/x.cpp:2: A has 70 lines, aim for 50", at_limit)
        self.assertNotIn("at most 70", at_limit)

    def test_braces_in_text_do_not_count(self):
        text = 'void f() {\n  g("{", \'{\', R"x({ " )x");  // {\n}\n#define M {\n\nvoid h() {\n'
        self.expect("h has 71 lines", {"bench/x.cpp": text + LONG_BODY + "//\n}\n"})

    def test_file_length(self):
        self.expect("451 lines, at most 450", {"bench/x.cpp": "\n" * 451})

    def test_tables_and_files_agree(self):
        table = "#define RULES(X) \\\n  X(width)     \\\n  X(gone)\n"
        files = {"report/rules/table.h": table,
                 "report/rules/width.cpp": "const Rule width_rule{};\n",
                 "report/rules/speed.cpp": "const Rule speed_rule{};\n"}
        self.expect("speed is missing in report/rules/table.h", files)
        self.expect("lists gone, but there is no gone.cpp", files)
        self.assertNotIn("width", self.problems(files).replace("table.h", ""))

    def test_words(self):
        self.expect("'TO" "DO' promises later work", {"bench/x.cpp": "// TO" "DO: more\n"})

    def test_format_and_shell(self):
        self.expect("bench/x.cpp:1:4: error:", {"bench/x.cpp": "int   x;\n"})
        self.expect("SC2086", {"scripts/go": "#!/usr/bin/env bash\necho $1\n"})


if __name__ == "__main__":
    unittest.main()
