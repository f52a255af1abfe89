// SPDX-License-Identifier: Apache-2.0
#include "gpu/cpu/onednn_kernel.h"

#include "gpu/cpu/layouts.h"

namespace secateur {

const dnnl::engine& cpuEngine() {
    static const dnnl::engine kEngine(dnnl::engine::kind::cpu, 0);
    return kEngine;
}

dnnl::stream& cpuStream() {
    // A stream belongs to the thread that fills it.
    static thread_local dnnl::stream stream(cpuEngine());
    return stream;
}

void OnednnKernel::add(int argument, Source source, std::size_t slot, const dnnl::memory::desc& desc) {
    dnnl::memory memory(desc, cpuEngine(), DNNL_MEMORY_NONE);
    m_arguments.emplace(argument, memory);
    m_bindings.push_back({source, slot, std::move(memory), nullptr});
}

void OnednnKernel::run(const StepMemory& memory) {
    for (Binding& binding : m_bindings) {
        void* place = memory.workspace;
        if (binding.source == Source::output) place = memory.outputs[binding.slot];
        // oneDNN takes operands and results by the same type; it does not write to operands.
        if (binding.source == Source::input) place = const_cast<std::byte*>(memory.inputs[binding.slot]);
        if (place == binding.bound) continue;
        binding.memory.set_data_handle(place);
        binding.bound = place;
    }
    m_primitive.execute(cpuStream(), m_arguments);
    cpuStream().wait();
}

dnnl::primitive_attr userScratchpad() {
    dnnl::primitive_attr attributes;
    attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    return attributes;
}

dnnl::memory reordered(const void* plain, const dnnl::memory::desc& from, const dnnl::memory::desc& to) {
    dnnl::memory source(from, cpuEngine(), const_cast<void*>(plain)); // only read
    dnnl::memory result(to, cpuEngine());
    dnnl::reorder(source, result).execute(cpuStream(), source, result);
    cpuStream().wait();
    return result;
}

std::unique_ptr<CpuKernel> conversion(const Shape& shape, LayoutCode from, LayoutCode to, ElementType type) {
    const dnnl::memory::desc source = descOf(shape, from, type), target = descOf(shape, to, type);
    const dnnl::reorder::primitive_desc desc(cpuEngine(), source, cpuEngine(), target);
    auto kernel = std::make_unique<OnednnKernel>(dnnl::reorder(desc));
    kernel->takesInput(DNNL_ARG_FROM, 0, source);
    kernel->givesOutput(DNNL_ARG_TO, 0, target);
    return kernel;
}

} // namespace secateur
