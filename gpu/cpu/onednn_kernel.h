// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/cpu/cpu_kernel.h"

#include <dnnl.hpp>

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace secateur {

/// oneDNN's engine and stream of this process.
[[nodiscard]] const dnnl::engine& cpuEngine();
[[nodiscard]] dnnl::stream& cpuStream();

/// One primitive with its arguments.
class OnednnKernel : public CpuKernel {
  public:
    explicit OnednnKernel(dnnl::primitive primitive) : m_primitive(std::move(primitive)) {}

    void takesInput(int argument, std::size_t slot, const dnnl::memory::desc& desc) {
        add(argument, Source::input, slot, desc);
    }
    void givesOutput(int argument, std::size_t slot, const dnnl::memory::desc& desc) {
        add(argument, Source::output, slot, desc);
    }
    void usesWorkspace(const dnnl::memory::desc& desc) {
        if (desc.get_size() > 0) add(DNNL_ARG_SCRATCHPAD, Source::workspace, 0, desc);
    }
    /// Weights and the like: kept as they are.
    void holds(int argument, dnnl::memory memory) { m_arguments.emplace(argument, std::move(memory)); }

    void run(const StepMemory& memory) override;

  private:
    enum class Source : std::uint8_t { input, output, workspace };
    struct Binding {
        Source source;
        std::size_t slot;
        dnnl::memory memory;
        void* bound = nullptr;
    };
    void add(int argument, Source source, std::size_t slot, const dnnl::memory::desc& desc);

    dnnl::primitive m_primitive;
    std::unordered_map<int, dnnl::memory> m_arguments;
    std::vector<Binding> m_bindings;
};

/// Attributes that take scratchpads from us.
[[nodiscard]] dnnl::primitive_attr userScratchpad();
/// A copy of `plain`, described by `from`, as `to` wants it.
[[nodiscard]] dnnl::memory reordered(const void* plain, const dnnl::memory::desc& from,
                                     const dnnl::memory::desc& to);
/// A kernel from one layout of `shape` to another.
[[nodiscard]] std::unique_ptr<CpuKernel> conversion(const Shape& shape, LayoutCode from, LayoutCode to,
                                                    ElementType type);

} // namespace secateur
