// SPDX-License-Identifier: Apache-2.0
// A training checkpoint of ONNX Runtime is a FlatBuffer. Its layout was found by looking at files: a root
// with a revision and a table of weights; there, vectors of blobs (trainable, and not), each with name, dims,
// element type in ONNX's numbers, and bytes - in the file, or at an offset of `<checkpoint>.data`. Nothing in
// it is trusted: every offset is checked before it is followed.
#include "core/onnx/ort_checkpoint.h"

#include "core/messages/sentences.h"
#include "core/support/mapped_file.h"

#include <array>
#include <cstring>
#include <fstream>
#include <optional>

namespace secateur {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kIdentifier = "ODTC";
constexpr std::int32_t kRevision = 2;

struct Damaged {
    std::string what;
};

Damaged damaged(std::string_view sentence, const std::vector<std::string>& arguments = {}) {
    return {formatMessage(sentence, arguments)};
}

/// Reads numbers and follows offsets inside the bounds of one buffer. Throws Damaged.
class FlatBuffer {
  public:
    explicit FlatBuffer(std::span<const std::byte> bytes) : m_bytes(bytes) {}

    template <class T> T read(std::uint64_t at) const {
        require(at, sizeof(T));
        T value;
        std::memcpy(&value, m_bytes.data() + at, sizeof value);
        return value;
    }
    /// Offsets are relative to where they stand, and point forward.
    std::uint64_t follow(std::uint64_t at) const { return at + read<std::uint32_t>(at); }

    /// Where field `id` of a table stands; none where the table leaves it out.
    std::optional<std::uint64_t> field(std::uint64_t table, unsigned id) const {
        const std::int64_t vtable = static_cast<std::int64_t>(table) - read<std::int32_t>(table);
        if (vtable < 0) throw damaged("checkpoint.table-outside");
        const auto at = static_cast<std::uint64_t>(vtable);
        const std::uint64_t slot = 4 + 2ULL * id;
        if (slot + 2 > read<std::uint16_t>(at)) return std::nullopt;
        const auto offset = read<std::uint16_t>(at + slot);
        if (offset == 0) return std::nullopt;
        return table + offset;
    }
    std::optional<std::uint64_t> reference(std::uint64_t table, unsigned id) const {
        const auto at = field(table, id);
        return at ? std::optional(follow(*at)) : std::nullopt;
    }
    template <class T> T number(std::uint64_t table, unsigned id, T otherwise) const {
        const auto at = field(table, id);
        return at ? read<T>(*at) : otherwise;
    }
    /// The elements of a vector (a string is one of characters); none where the table leaves it out.
    std::span<const std::byte> vector(std::uint64_t table, unsigned id, std::uint64_t elementBytes) const {
        const auto at = reference(table, id);
        if (!at) return {};
        const std::uint64_t size = read<std::uint32_t>(*at) * elementBytes;
        require(*at + 4, size);
        return m_bytes.subspan(*at + 4, size);
    }
    std::uint64_t positionOf(std::span<const std::byte> part) const {
        return static_cast<std::uint64_t>(part.data() - m_bytes.data());
    }

  private:
    void require(std::uint64_t at, std::uint64_t count) const {
        if (at > m_bytes.size() || count > m_bytes.size() - at) {
            throw damaged("checkpoint.outside",
                          {std::to_string(at), std::to_string(at + count), std::to_string(m_bytes.size())});
        }
    }

    std::span<const std::byte> m_bytes;
};

class CheckpointReader {
  public:
    explicit CheckpointReader(std::shared_ptr<const MappedFile> file)
        : m_file(std::move(file)), m_buffer(m_file->bytes()) {}

    OrtCheckpoint run() {
        const std::uint64_t root = m_buffer.follow(0);
        const auto revision = m_buffer.number<std::int32_t>(root, 0, 0);
        if (revision != kRevision) {
            throw damaged("checkpoint.revision", {std::to_string(revision), std::to_string(kRevision)});
        }
        const auto weights = m_buffer.reference(root, 1);
        if (!weights) throw damaged("checkpoint.no-weights");
        if (m_buffer.number<std::uint8_t>(*weights, 2, 0) != 0) {
            throw damaged("checkpoint.no-values");
        }
        if (m_buffer.number<std::uint8_t>(*weights, 3, 0) != 0) openData();
        readBlobs(*weights, 0, true);
        readBlobs(*weights, 1, false);
        m_checkpoint.path = m_file->path();
        return std::move(m_checkpoint);
    }

  private:
    void openData() {
        const fs::path path = m_file->path().string() + ".data";
        auto data = MappedFile::open(path);
        if (!data) throw damaged("checkpoint.no-data", {path.filename().string(), data.error().message});
        m_data = *data;
    }

    void readBlobs(std::uint64_t weights, unsigned id, bool isTrainable) {
        const auto offsets = m_buffer.vector(weights, id, 4);
        const std::uint64_t first = m_buffer.positionOf(offsets);
        for (std::uint64_t i = 0; i < offsets.size() / 4; ++i)
            readBlob(m_buffer.follow(first + 4 * i), isTrainable);
    }

    void readBlob(std::uint64_t blob, bool isTrainable) {
        OrtCheckpoint::Entry entry;
        const auto name = m_buffer.vector(blob, 0, 1);
        entry.name.assign(reinterpret_cast<const char*>(name.data()), name.size());
        entry.isTrainable = isTrainable;
        Tensor tensor;
        tensor.encoding = Tensor::Encoding::raw;
        tensor.type = static_cast<ElementType>(m_buffer.number<std::int32_t>(blob, 3, 0));
        const auto dims = m_buffer.vector(blob, 2, 8);
        tensor.dims.resize(dims.size() / 8);
        if (!dims.empty()) std::memcpy(tensor.dims.data(), dims.data(), dims.size());
        const auto bytes = tensor.byteSize();
        if (!bytes) throw damaged("checkpoint.bad-type", {entry.name, tensor.asType().text()});
        tensor.payload = payloadOf(blob, *bytes, entry.name);
        if (!m_checkpoint.byName.emplace(entry.name, m_checkpoint.entries.size()).second) {
            throw damaged("checkpoint.same-name", {entry.name});
        }
        entry.tensor = std::make_shared<const Tensor>(std::move(tensor));
        m_checkpoint.entries.push_back(std::move(entry));
    }

    ByteRef payloadOf(std::uint64_t blob, std::uint64_t bytes, const std::string& name) const {
        if (m_data) {
            const auto offset = m_buffer.number<std::int64_t>(blob, 6, 0);
            auto range = m_data->range(static_cast<std::uint64_t>(offset), bytes);
            if (offset < 0 || !range) {
                throw damaged("checkpoint.data-range",
                              {name, std::to_string(offset),
                               std::to_string(static_cast<std::uint64_t>(offset) + bytes),
                               m_data->path().filename().string(), std::to_string(m_data->size())});
            }
            return {m_data, range->data(), range->size()};
        }
        const auto stored = m_buffer.vector(blob, 4, 1);
        if (stored.size() != bytes) {
            throw damaged("checkpoint.size", {name, std::to_string(bytes), std::to_string(stored.size())});
        }
        return {m_file, stored.data(), stored.size()};
    }

    std::shared_ptr<const MappedFile> m_file, m_data;
    FlatBuffer m_buffer;
    OrtCheckpoint m_checkpoint;
};

bool hasIdentifier(std::span<const std::byte> bytes) {
    return bytes.size() >= 8 && std::memcmp(bytes.data() + 4, kIdentifier.data(), kIdentifier.size()) == 0;
}

} // namespace

const OrtCheckpoint::Entry* OrtCheckpoint::find(std::string_view name) const {
    const auto at = byName.find(std::string(name));
    return at == byName.end() ? nullptr : &entries[at->second];
}

bool looksLikeOrtCheckpoint(const fs::path& path) {
    std::error_code ignored;
    if (!fs::is_regular_file(path, ignored)) return false;
    std::ifstream in(path, std::ios::binary);
    std::array<char, 8> head{};
    return in.read(head.data(), head.size()) && hasIdentifier(std::as_bytes(std::span(head)));
}

Result<OrtCheckpoint> loadOrtCheckpoint(const fs::path& path) {
    auto file = TRY(MappedFile::open(path));
    if (!hasIdentifier(file->bytes())) {
        return invalidInput(formatMessage("checkpoint.none", {}), path.string());
    }
    try {
        return CheckpointReader(std::move(file)).run();
    } catch (const Damaged& failure) {
        return invalidInput(formatMessage("checkpoint.unusable", {failure.what}), path.string());
    }
}

} // namespace secateur
