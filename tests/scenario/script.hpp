// A scenario file: blocks of commands, each with what must come of them.
//
//   # T41 What must hold, in a sentence.
//   acquire a ttl=10s
//   reply 1 granted token=7
//   ---
//   send #1 acquire a -> 0
//   acquired a token=7 deadline=+8.998s     # comments may stand here too
//
// The expected part ends at an empty line.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tenure::scenario {

struct Block {
  std::vector<std::string> before;    // the lines up to "---" as they stand, comments too
  std::vector<std::string> commands;  // the same without comments and empty lines
  std::vector<std::string> expected;  // the lines below "---" as they stand
  std::size_t line = 0;               // where its first command stands in the file, counted from 1
};

std::vector<Block> read_script(const std::filesystem::path& file);
void write_script(const std::filesystem::path& file, const std::vector<Block>& blocks);

// A line without its comment and the spaces around it.
std::string without_comment(const std::string& line);

// The same lines as told; those that were expected keep their comments.
std::vector<std::string> with_old_comments(const std::vector<std::string>& told,
                                           const std::vector<std::string>& expected);

// Both, line by line, with - before what is missing and + before what is new; empty when they agree.
std::string difference(const std::vector<std::string>& expected, const std::vector<std::string>& told);

}  // namespace tenure::scenario
