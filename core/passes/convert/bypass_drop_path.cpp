// SPDX-License-Identifier: Apache-2.0
// Takes stochastic depth (DropPath) out: a random 0/1 mask of shape [N,1,..,1] or [1,..,1], scaled by one
// over the probability to keep, times a branch, becomes the branch.
//   m = Bernoulli(Expand(keep)); y = x * (m / keep)  =>  y = x
//   m = Floor(RandomUniformLike(z) + keep); y = (x / keep) * m  =>  y = x
// Conversion to evaluation mode. It does not fire unless the scale is one over the keep probability, the draw
// is uniform over [0, 1), and the mask has that shape: anything else may be noise that the network means.
#include "core/ir/constants.h"
#include "core/passes/convert/conversion_passes.h"
#include "core/passes/convert/drop_path_mask.h"
#include "core/passes/convert/node_parts.h"
#include "core/passes/convert/removal.h"

#include <cmath>
#include <string>

namespace secateur {
namespace {

constexpr std::string_view kRule = "bypass-drop-path";

bool isOne(double x) {
    return std::fabs(x - 1.0) <= 1e-5;
} // keep and its reciprocal are rounded to the data's type

/// A product of a branch and a mask, and the node whose result stands for the whole.
struct DropSite {
    NodeId root; ///< the product, or the scaling behind it
    NodeId product;
    ValueId branch; ///< what evaluation mode uses
    ValueId mask;
};

class Bypass {
  public:
    explicit Bypass(PassContext& context) : m_context(context), m_model(context.model()) {}

    void run(const DropPathMask& mask) {
        std::vector<Use> uses;
        for (const Use use : m_model.uses(mask.value))
            uses.push_back(use);
        for (const Use use : uses) {
            if (m_model.isAlive(use.node) && m_model.isOp(use.node, "Mul")) tryProduct(mask, use);
        }
    }

  private:
    void tryProduct(const DropPathMask& mask, Use use) {
        const NodeId product = use.node;
        const ValueId other = m_model.input(product, 1 - use.slot);
        if (other.isNone() || other == mask.value || constantScalar(m_model, other))
            return; // a scaling of the mask itself
        const Scaled branch = unscaled(other);
        const double scale = mask.scale * branch.factor;
        if (isOne(scale * mask.keep)) return bypass({product, product, branch.value, mask.value}, mask);
        if (!isOne(scale))
            return m_context.miss(kRule, product,
                                  Reason("bypass-drop-path.miss.scale", {product, scale, mask.keep}));
        tryScalingBehind(mask, product, branch.value);
    }

    /// The product is not scaled yet: its readers may do it.
    void tryScalingBehind(const DropPathMask& mask, NodeId product, ValueId branch) {
        bool isFound = false;
        std::vector<Use> uses;
        for (const Use use : m_model.uses(m_model.output(product, 0)))
            uses.push_back(use);
        for (const Use use : uses) {
            const Scaled result =
                use.slot == 0 || m_model.isOp(use.node, "Mul") ? scaledBy(use.node) : Scaled();
            if (result.value != m_model.output(product, 0) || !isOne(result.factor * mask.keep)) continue;
            isFound = true;
            bypass({use.node, product, branch, mask.value}, mask);
        }
        if (!isFound)
            m_context.miss(kRule, product, Reason("bypass-drop-path.miss.scale", {product, 1.0, mask.keep}));
    }

    struct Scaled {
        ValueId value;
        double factor = 1;
    };
    /// x and c where `node` is x * c or x / c; no value where it is neither.
    Scaled scaledBy(NodeId node) const {
        const bool isMul = m_model.isOp(node, "Mul");
        if (!isMul && !m_model.isOp(node, "Div")) return {};
        const auto second = constantScalar(m_model, m_model.input(node, 1));
        if (second && *second != 0) return {m_model.input(node, 0), isMul ? *second : 1 / *second};
        const auto first = isMul ? constantScalar(m_model, m_model.input(node, 0)) : std::nullopt;
        if (first) return {m_model.input(node, 1), *first};
        return {};
    }

    /// `value` without a constant factor that its producer puts on it.
    Scaled unscaled(ValueId value) const {
        const NodeId producer = m_model.producer(value);
        if (producer.isNone() || m_model.node(producer).kind != NodeKind::operation) return {value, 1};
        const Scaled inner = scaledBy(producer);
        return inner.value.isNone() ? Scaled{value, 1} : inner;
    }

    void bypass(const DropSite& site, const DropPathMask& mask) {
        if (!hasDropPathShape(m_model, m_context.types(), mask, site.branch)) {
            return m_context.miss(kRule, site.root,
                                  Reason("bypass-drop-path.miss.shape", {site.root, site.mask}));
        }
        RewriteRecord request;
        request.rule = kRule;
        request.root = site.root;
        request.matched = {site.root, mask.source};
        request.reason = Reason("bypass-drop-path.bypass", {site.branch, mask.source, mask.keep});
        request.exactness = Exactness::conversion;
        m_context.rewrite(std::move(request), [&](Editor& editor, RewriteRecord& record) -> Refusal {
            const ValueId old = m_model.output(site.root, 0);
            if (Refusal why = readInstead(editor, old, site.branch)) return why;
            record.equalValues.emplace_back(old, site.branch);
            eraseDeadProducers(editor, std::vector{old}, site.root, record);
            return kDone;
        });
    }

    PassContext& m_context;
    const Model& m_model;
};

class BypassDropPath final : public Pass {
  public:
    [[nodiscard]] const PassInfo& info() const override {
        static const PassInfo kInfo = passInfo(std::string(kRule), Exactness::conversion);
        return kInfo;
    }

    Result<void> run(PassContext& context) const override {
        const Model& model = context.model();
        for (const NodeId node : convertibleNodes(model)) {
            if (context.work().isCancelled()) return cancelled();
            if (!model.isAlive(node) || !isUnitDraw(model, node)) continue;
            for (const DropPathMask& mask : masksFrom(model, node)) {
                if (model.isAlive(mask.value)) Bypass(context).run(mask);
            }
        }
        return {};
    }
};

} // namespace

const Pass& bypassDropPathPass() {
    static const BypassDropPath pass;
    return pass;
}

} // namespace secateur
