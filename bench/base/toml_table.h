// TOML files as people write them: each key is asked for by name, and whatever is wrong (unknown
// key, wrong type, out of bounds) becomes one Error with file and line. The one place that knows
// the TOML library.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/base/result.h"

namespace linkburn {

/// Where in a file something was written.
struct TextAt {
  std::string text;
  int line = 0;
};

/// One table of a TOML file. Asking for a key makes it known; when the reading function is done,
/// any other key is an error. Only the first error of a file is kept.
class TableReader {
 public:
  using Read = std::function<void(TableReader&)>;

  void text(const char* key, std::string& out, bool needed = false);
  void number(const char* key, int& out, int lowest, int highest, bool needed = false);
  void number(const char* key, std::optional<int>& out, int lowest, int highest);
  /// Whole numbers are taken too.
  void decimal(const char* key, std::optional<double>& out, double lowest, double highest);
  /// A day: 2027-01-31, with or without quotes. `out` gets "2027-01-31".
  void day(const char* key, std::string& out, bool needed = false);
  void flag(const char* key, bool& out);
  void texts(const char* key, std::vector<std::string>& out, bool needed = false);
  /// A text, which stands for a list of one, or a list of texts.
  void text_or_texts(const char* key, std::vector<std::string>& out);
  /// A text, or a list of them, that are all among `known`.
  void words(const char* key, std::vector<std::string>& out, const std::vector<std::string>& known,
             bool needed = false);

  /// The table [key], if it is there.
  void inside(const char* key, const Read& read);
  /// Every [[key]], in their order.
  void each(const char* key, const Read& read);
  /// All keys of this table, whose names are free; each must hold a text.
  void all_texts(std::map<std::string, TextAt>& out);

  /// What is wrong with a key, or with the table as a whole; at the key's line when it is there.
  void fail(std::string what, const char* key = nullptr);

  bool has(const char* key) const;
  int line() const;  ///< where the table begins
  int line_of(const char* key) const;

 private:
  struct File;
  struct Node;
  TableReader(File& file, const void* table) : file_(file), table_(table) {}
  Node look_up(const char* key, bool needed);
  void fail_at(int line, std::string what);
  void reject_other_keys();
  void read_child(const void* table, const Read& read);

  friend Status read_toml(std::string_view text, const std::string& source, const Read& read);

  File& file_;
  const void* table_;  ///< a toml::table
  std::vector<std::string> known_;
};

/// Reads a TOML text; `source` stands for the file in messages. `read` asks for the keys of the
/// outermost table.
Status read_toml(std::string_view text, const std::string& source, const TableReader::Read& read);

/// A day of the calendar, "2027-01-31".
bool is_day(std::string_view text);

/// The text of a file that a person named: a profile, a site file.
Result<std::string> read_input_file(const std::string& path, std::string_view what,
                                    std::size_t max_bytes);

}  // namespace linkburn
