#!/usr/bin/env python3
"""tools/fetch-wgpu without a network: `fetch_wgpu.py TOOL COMPLETE_FOLDER`."""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

TOOL, COMPLETE = sys.argv[1:3]


class FetchWgpu(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.dest = os.path.join(self.folder.name, "engine")

    def run_tool(self, *arguments):
        env = dict(os.environ, PIP_NO_INDEX="1", PIP_FIND_LINKS="", PIP_CONFIG_FILE=os.devnull)
        return subprocess.run([sys.executable, TOOL, *arguments], env=env, capture_output=True, text=True,
                              check=False)

    def assert_one_line(self, done):
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stdout, "")
        self.assertRegex(done.stderr, r"\Afetch-wgpu: [^\n]+\n\Z")
        self.assertNotRegex(done.stderr, r"https?://|\.org|\.com")
        # Nothing half done stays behind.
        self.assertEqual([n for n in os.listdir(self.folder.name) if n.startswith(".")], [])

    def test_a_complete_folder_is_left_alone(self):
        shutil.copytree(COMPLETE, self.dest)
        os.utime(os.path.join(self.dest, "VERSION"), (1, 1))
        done = self.run_tool(self.dest)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        self.assertEqual(os.stat(os.path.join(self.dest, "VERSION")).st_mtime, 1)

    def test_a_damaged_file_is_noticed_and_kept_when_offline(self):
        shutil.copytree(COMPLETE, self.dest)
        header = os.path.join(self.dest, "wgpu.h")
        with open(header, "ab") as file:
            file.write(b"\n")
        damaged = os.stat(header).st_size
        self.assert_one_line(self.run_tool(self.dest))
        self.assertEqual(os.stat(header).st_size, damaged)

    def test_a_missing_file_is_noticed(self):
        shutil.copytree(COMPLETE, self.dest)
        os.remove(os.path.join(self.dest, "libwgpu_native.so"))
        self.assert_one_line(self.run_tool(self.dest))

    def test_offline_leaves_nothing(self):
        done = self.run_tool(self.dest)
        self.assert_one_line(done)
        self.assertIn("-Dwgpu_native=FOLDER", done.stderr)
        self.assertFalse(os.path.exists(self.dest))

    def test_somebody_elses_folder_is_not_touched(self):
        os.mkdir(self.dest)
        with open(os.path.join(self.dest, "notes.txt"), "w", encoding="utf-8") as file:
            file.write("mine")
        self.assert_one_line(self.run_tool(self.dest))
        self.assertEqual(os.listdir(self.dest), ["notes.txt"])

    def test_usage(self):
        self.assertEqual(self.run_tool("--frobnicate").returncode, 2)
        self.assertEqual(self.run_tool("a", "b").returncode, 2)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
