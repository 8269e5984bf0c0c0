// Who mistypes a word is told which one is near.
#include "cli/args/suggestion.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace tenure::cli {
namespace {

const std::vector<std::string> commands{"run", "elect", "reconfigure", "lock", "status", "sessions", "poll"};
const std::vector<std::string> options{"--json", "--watch", "--redis", "--redis-file", "--color"};

TEST(Suggestion, EditsAreChangesAdditionsOmissionsAndSwaps) {
  EXPECT_EQ(edits_between("status", "status"), 0U);
  EXPECT_EQ(edits_between("stauts", "status"), 1U) << "swapped";
  EXPECT_EQ(edits_between("statsu", "status"), 1U);
  EXPECT_EQ(edits_between("statis", "status"), 1U) << "changed";
  EXPECT_EQ(edits_between("staus", "status"), 1U) << "left out";
  EXPECT_EQ(edits_between("sttatus", "status"), 1U) << "added";
  EXPECT_EQ(edits_between("", "run"), 3U);
  EXPECT_EQ(edits_between("run", ""), 3U);
  EXPECT_EQ(edits_between("", ""), 0U);
}

TEST(Suggestion, TheNearestWordIsMeant) {
  EXPECT_EQ(nearest("rnu", commands), "run");
  EXPECT_EQ(nearest("lcok", commands), "lock");
  EXPECT_EQ(nearest("stats", commands), "status");
  EXPECT_EQ(nearest("session", commands), "sessions");
  EXPECT_EQ(nearest("--jsno", options), "--json");
  EXPECT_EQ(nearest("-json", options), "--json");
  EXPECT_EQ(nearest("--colour", options), "--color");
  EXPECT_EQ(nearest("--reds", options), "--redis");
}

TEST(Suggestion, ABeginningIsEnough) {
  EXPECT_EQ(nearest("reconf", commands), "reconfigure");
  EXPECT_EQ(nearest("--wa", options), "--watch");
}

TEST(Suggestion, WhatCouldMeanAnythingSuggestsNothing) {
  for (const char* typed : {"", "r", "up", "xyz", "frobnicate", "-w", "--", "--x"}) {
    EXPECT_EQ(nearest(typed, commands), std::nullopt) << typed;
    EXPECT_EQ(nearest(typed, options), std::nullopt) << typed;
  }
  EXPECT_EQ(nearest(std::string(100'000, 'r'), commands), std::nullopt);
  EXPECT_EQ(did_you_mean("frobnicate", commands), "");
  EXPECT_EQ(did_you_mean("rnu", commands), "; did you mean run?");
}

}  // namespace
}  // namespace tenure::cli
