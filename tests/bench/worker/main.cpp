#include <gtest/gtest.h>

#include "tests/bench/worker/test_jobs.h"

int main(int argc, char** argv) {
  if (argc == 2 && std::string_view(argv[1]) == "worker") return linkburn::test::run_worker();
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
