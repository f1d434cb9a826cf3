#include "report/evidence/codec.h"

#include <fmt/core.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "bench/base/text.h"

namespace linkburn {
namespace {

using nlohmann::json;

constexpr int kMaxDepth = 16;  // records nest three deep

struct AnyField {
  template <class T>
  void operator()(const char*, T&) {}
};

template <class T>
concept HasFields = requires(T& value, AnyField& field) {
  value.fields(field);
};

/// Writes the fields of a record into a JSON object, in declaration order.
class Encoder {
 public:
  explicit Encoder(nlohmann::ordered_json& object) : object_(object) {}

  template <class T>
  void operator()(const char* key, const T& value) {
    put(key, value);
  }

 private:
  using Json = nlohmann::ordered_json;

  static Json to_json(const std::string& text) { return printable(text, text.size()); }
  static Json to_json(const ComponentId& id) { return id.text(); }
  static Json to_json(LinkSpeed speed) { return speed.gts(); }
  static Json to_json(std::int64_t value) { return value; }
  template <HasFields T>
  static Json to_json(const T& value) {
    Json object = Json::object();
    Encoder encoder(object);
    const_cast<T&>(value).fields(encoder);  // fields() lists members for readers and writers alike
    return object;
  }

  void put(const char* key, const std::string& text) {
    if (!text.empty()) object_[key] = multi_line(text);
  }
  void put(const char* key, const ComponentId& id) {
    if (!id.empty()) object_[key] = id.text();
  }
  void put(const char* key, int value) { object_[key] = value; }
  void put(const char* key, std::int64_t value) { object_[key] = value; }
  void put(const char* key, double value) {
    if (std::isfinite(value)) object_[key] = value;
  }
  void put(const char* key, bool value) {
    if (value) object_[key] = true;
  }
  void put(const char* key, Phase value) { object_[key] = to_string(value); }
  void put(const char* key, LinkSpeed value) { object_[key] = value.gts(); }
  void put(const char* key, LinkWidth value) { object_[key] = value.lanes; }
  template <HasFields T>
  void put(const char* key, const T& value) {
    object_[key] = to_json(value);
  }
  /// Of an optional truth, "no" is knowledge.
  void put(const char* key, const std::optional<bool>& value) {
    if (value) object_[key] = *value;
  }
  template <class T>
  void put(const char* key, const std::optional<T>& value) {
    if (value) put(key, *value);
  }
  template <class T>
  void put(const char* key, const std::vector<T>& values) {
    if (values.empty()) return;
    Json array = Json::array();
    for (const T& value : values) array.push_back(to_json(value));
    object_[key] = std::move(array);
  }
  void put(const char* key, const std::map<std::string, std::string>& values) {
    if (values.empty()) return;
    Json object = Json::object();
    for (const auto& [name, text] : values) object[printable(name)] = printable(text, text.size());
    object_[key] = std::move(object);
  }

  /// Profile texts keep their newlines; everything else unprintable is replaced.
  static std::string multi_line(const std::string& text) {
    std::string out;
    const auto lines = lines_of(text);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (i > 0) out += '\n';
      out += printable(lines[i], lines[i].size());
    }
    if (text.ends_with('\n')) out += '\n';
    return out;
  }

  Json& object_;
};

/// Fills the fields of a record from a JSON object. A present field of a wrong type is an error.
class Decoder {
 public:
  explicit Decoder(const json& object) : object_(object) {}

  template <class T>
  void operator()(const char* key, T& value) {
    const auto found = object_.find(key);
    if (found == object_.end() || found->is_null()) return;
    if (!get(*found, value) && bad_key_.empty()) bad_key_ = key;
  }

  const std::string& bad_key() const { return bad_key_; }

 private:
  static bool get(const json& in, std::string& out) {
    if (!in.is_string()) return false;
    out = in.get_ref<const std::string&>();
    return true;
  }
  static bool get(const json& in, ComponentId& out) {
    if (!in.is_string()) return false;
    out = ComponentId::from_evidence(in.get_ref<const std::string&>());
    return true;
  }
  static bool get(const json& in, std::int64_t& out) {
    if (!in.is_number_integer()) return false;
    if (in.is_number_unsigned() && in.get<std::uint64_t>() > INT64_MAX) return false;
    out = in.get<std::int64_t>();
    return true;
  }
  static bool get(const json& in, int& out) {
    std::int64_t wide = 0;
    if (!get(in, wide) || wide < INT32_MIN || wide > INT32_MAX) return false;
    out = static_cast<int>(wide);
    return true;
  }
  static bool get(const json& in, double& out) {
    if (!in.is_number()) return false;
    out = in.get<double>();
    return std::isfinite(out);
  }
  static bool get(const json& in, bool& out) {
    if (!in.is_boolean()) return false;
    out = in.get<bool>();
    return true;
  }
  static bool get(const json& in, Phase& out) {
    if (!in.is_string()) return false;
    const auto phase = phase_from(in.get_ref<const std::string&>());
    if (phase) out = *phase;
    return phase.has_value();
  }
  static bool get(const json& in, LinkSpeed& out) {
    double gts = 0;
    if (!get(in, gts) || gts <= 0 || gts > 1024) return false;
    out = LinkSpeed{static_cast<int>(std::lround(gts * 1000))};
    return true;
  }
  static bool get(const json& in, LinkWidth& out) {
    int lanes = 0;
    if (!get(in, lanes) || lanes < 0 || lanes > 255) return false;
    out = LinkWidth{lanes};
    return true;
  }
  template <HasFields T>
  static bool get(const json& in, T& out) {
    if (!in.is_object()) return false;
    Decoder decoder(in);
    out.fields(decoder);
    return decoder.bad_key().empty();
  }
  template <class T>
  static bool get(const json& in, std::optional<T>& out) {
    T value{};
    if (!get(in, value)) return false;
    out = std::move(value);
    return true;
  }
  template <class T>
  static bool get(const json& in, std::vector<T>& out) {
    if (!in.is_array()) return false;
    for (const json& item : in) {
      T value{};
      if (!get(item, value)) return false;
      out.push_back(std::move(value));
    }
    return true;
  }
  static bool get(const json& in, std::map<std::string, std::string>& out) {
    if (!in.is_object()) return false;
    for (const auto& [name, value] : in.items()) {
      std::string text;
      if (!get(value, text)) return false;
      out[name] = std::move(text);
    }
    return true;
  }

  const json& object_;
  std::string bad_key_;
};

/// Tries the kinds of the variant in turn; true when `kind` is one of them.
template <std::size_t I = 0>
bool fill_body(std::string_view kind, const json& object, Body& body, std::string& bad_key) {
  using T = std::variant_alternative_t<I, Body>;
  if constexpr (std::is_same_v<T, UnknownRecord>) {
    return false;
  } else {
    if (kind != T::kKind) return fill_body<I + 1>(kind, object, body, bad_key);
    T value;
    Decoder decoder(object);
    value.fields(decoder);
    bad_key = decoder.bad_key();
    body = std::move(value);
    return true;
  }
}

/// True when brackets nest deeper than any record does; keeps the parser's stack bounded.
bool too_deep(std::string_view text) {
  int depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      if (++depth > kMaxDepth) return true;
    } else if (c == '}' || c == ']') {
      --depth;
    }
  }
  return false;
}

}  // namespace

std::string encode(const Record& record) {
  if (const auto* unknown = std::get_if<UnknownRecord>(&record.body)) return unknown->json;
  nlohmann::ordered_json object;
  object["kind"] = kind_of(record);
  object["seq"] = record.seq;
  object["at_ns"] = record.at_ns;
  std::visit(
      [&](const auto& body) {
        if constexpr (!std::is_same_v<std::decay_t<decltype(body)>, UnknownRecord>) {
          Encoder encoder(object);
          const_cast<std::decay_t<decltype(body)>&>(body).fields(encoder);
        }
      },
      record.body);
  return object.dump(-1, ' ', false, json::error_handler_t::replace);
}

Result<Record> decode(std::string_view line) {
  const auto malformed = [](std::string what) {
    return Error{Code::invalid, std::move(what), "evidence line", {}};
  };
  if (too_deep(line)) return malformed("nested too deeply");
  const json object = json::parse(line, nullptr, false);
  if (!object.is_object()) return malformed("not a JSON object");
  struct {
    std::string kind;
    std::int64_t seq = 0, at_ns = 0;
  } envelope;
  Decoder decoder(object);
  decoder("kind", envelope.kind), decoder("seq", envelope.seq), decoder("at_ns", envelope.at_ns);
  if (envelope.kind.empty() || !decoder.bad_key().empty())
    return malformed("no kind, or a field of a wrong type");
  Record record{envelope.seq, envelope.at_ns, {}};
  std::string bad_key;
  if (!fill_body(envelope.kind, object, record.body, bad_key))
    record.body = UnknownRecord{envelope.kind, std::string(line)};
  if (!bad_key.empty())
    return malformed(fmt::format("{}: field '{}' has a wrong type", envelope.kind, bad_key));
  return record;
}

}  // namespace linkburn
