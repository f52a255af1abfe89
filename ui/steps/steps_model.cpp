// SPDX-License-Identifier: Apache-2.0
#include "ui/steps/steps_model.h"

#include "core/passes/registry.h"
#include "core/support/text.h"
#include "ui/app_state/check.h"
#include "ui/app_state/document.h"
#include "ui/app_state/node_words.h"
#include "ui/app_state/strings.h"

#include <algorithm>

namespace secateur {

namespace {

/// "−1.3 MiB", "+12 B": what a step does to the file.
QString bytesDelta(std::uint64_t before, std::uint64_t after) {
    return after <= before ? QStringLiteral("\u2212") + bytesText(before - after)
                           : QStringLiteral("+") + bytesText(after - before);
}

QString nodesDelta(std::uint64_t before, std::uint64_t after) {
    const QString count = after <= before ? QStringLiteral("\u2212") + countText(before - after)
                                          : QStringLiteral("+") + countText(after - before);
    return tx("ui.steps.nodes", {count});
}

/// The history holds this step as the recipe wants it, and so all before it.
bool isAsRun(const Session& session, std::size_t step) {
    if (!session.history() || step >= session.history()->steps().size()) return false;
    const Recipe &wanted = session.recipe(), &done = session.history()->recipe();
    if (wanted.targets != done.targets || wanted.weightsPath != done.weightsPath ||
        wanted.isForOnnxRuntime != done.isForOnnxRuntime)
        return false;
    const auto end = static_cast<std::ptrdiff_t>(step + 1);
    return wanted.steps.size() >= step + 1 && done.steps.size() >= step + 1 &&
           std::equal(wanted.steps.begin(), wanted.steps.begin() + end, done.steps.begin());
}

StepsModel::Mark markOf(const Verification* verdict) {
    if (verdict == nullptr) return StepsModel::Mark::none;
    switch (verdict->status) {
    case Verification::Status::exactByRule:
    case Verification::Status::sameBits: return StepsModel::Mark::same;
    case Verification::Status::within: return StepsModel::Mark::within;
    case Verification::Status::differs: return StepsModel::Mark::differs;
    case Verification::Status::notChecked: return StepsModel::Mark::unknown;
    }
    return StepsModel::Mark::none;
}

/// How exact the step is: as its option `level` says where it has one.
Exactness exactnessOf(const Pass& pass, const RecipeStep& wanted) {
    for (const PassOption& option : pass.info().options) {
        if (option.name != "level") continue;
        const auto given = wanted.options.find(option.name);
        const std::string& level = given == wanted.options.end() ? option.otherwise : given->second;
        for (const Exactness each : {Exactness::exact, Exactness::value, Exactness::approximate})
            if (exactnessName(each) == level) return each;
    }
    return pass.info().exactness;
}

} // namespace

StepsModel::StepsModel(Document& document, QObject* parent)
    : QAbstractItemModel(parent), m_document(document) {
    connect(&document, &Document::historyChanged, this, &StepsModel::refill);
    connect(&document, &Document::recipeChanged, this, &StepsModel::refill);
    connect(&document, &Document::phaseChanged, this, &StepsModel::refill);
    connect(&document, &Document::cursorChanged, this, [this] {
        if (rowCount() > 0) emit dataChanged(index(0, 0), index(rowCount() - 1, 0));
    });
    refill();
}

void StepsModel::follow(const Check& check) {
    m_check = &check;
    connect(&check, &Check::changed, this, [this] {
        if (rowCount() > 0) emit dataChanged(index(0, 0), index(rowCount() - 1, 0));
    });
}

/// Only of steps as they were run: what the check looked at.
const Verification* StepsModel::verdictOf(std::size_t step) const {
    if (m_check == nullptr || !isAsRun(*m_document.session(), step)) return nullptr;
    return m_check->verdictOf(step);
}

void StepsModel::refill() {
    beginResetModel();
    m_steps = m_document.session() ? m_document.session()->recipe().steps.size() : 0;
    endResetModel();
}

QModelIndex StepsModel::index(int row, int column, const QModelIndex& parent) const {
    if (column != 0 || row < 0 || row >= rowCount(parent)) return {};
    // A child carries the row of its step; top rows carry 0, which is the original and has no children.
    return createIndex(row, column, parent.isValid() ? static_cast<quintptr>(parent.row()) : 0U);
}

QModelIndex StepsModel::parent(const QModelIndex& child) const {
    if (!child.isValid() || child.internalId() == 0) return {};
    return createIndex(static_cast<int>(child.internalId()), 0, quintptr{0});
}

const Step* StepsModel::stepAt(const QModelIndex& index) const {
    const int row = index.internalId() != 0 ? static_cast<int>(index.internalId()) : index.row();
    const History* history = m_document.history();
    if (row < 1 || !history || static_cast<std::size_t>(row) > history->steps().size()) return nullptr;
    return &history->steps()[static_cast<std::size_t>(row - 1)];
}

int StepsModel::rowCount(const QModelIndex& parent) const {
    if (!parent.isValid()) return m_steps == 0 ? 0 : static_cast<int>(m_steps) + 1;
    if (parent.internalId() != 0 || parent.row() == 0) return 0;
    const Step* step = stepAt(parent);
    return step ? static_cast<int>(step->questions.size() + step->records.size() + step->misses.size()) : 0;
}

int StepsModel::columnCount(const QModelIndex&) const {
    return 1;
}

StepsModel::Kind StepsModel::kindOf(const QModelIndex& index) const {
    if (index.internalId() == 0) return index.row() == 0 ? Kind::original : Kind::step;
    const Step* step = stepAt(index);
    const auto row = static_cast<std::size_t>(index.row());
    if (!step || row < step->questions.size()) return Kind::question;
    return row < step->questions.size() + step->records.size() ? Kind::rewrite : Kind::miss;
}

Qt::ItemFlags StepsModel::flags(const QModelIndex& index) const {
    if (!index.isValid()) return Qt::NoItemFlags;
    Qt::ItemFlags flags = Qt::ItemIsEnabled | Qt::ItemIsSelectable;
    const Kind kind = kindOf(index);
    if (kind == Kind::step || kind == Kind::rewrite) flags |= Qt::ItemIsUserCheckable;
    return flags;
}

QVariant StepsModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const Kind kind = kindOf(index);
    if (role == kindRole) return static_cast<int>(kind);
    if (role == Qt::AccessibleTextRole) {
        QStringList words{data(index, Qt::DisplayRole).toString(), data(index, subtitleRole).toString()};
        if (const QString verdict = data(index, verdictRole).toString(); !verdict.isEmpty())
            words.append(verdict);
        return words.join(QStringLiteral(", "));
    }
    if (kind == Kind::original) {
        if (role == Qt::DisplayRole) return tx("ui.steps.original");
        if (role == subtitleRole && m_document.original())
            return tx("ui.steps.original-facts", {countText(m_document.original()->metrics.nodes),
                                                  bytesText(m_document.original()->metrics.fileBytes)});
        return {};
    }
    return kind == Kind::step ? stepData(static_cast<std::size_t>(index.row() - 1), role)
                              : childData(index, role);
}

QVariant StepsModel::stepData(std::size_t step, int role) const {
    // A view may still ask for rows of the model that was open before.
    const Session* session = m_document.session();
    if (session == nullptr || step >= session->recipe().steps.size()) return {};
    const RecipeStep& wanted = session->recipe().steps[step];
    const Pass* pass = findPass(wanted.pass);
    const Step* done = m_document.history() && step < m_document.history()->steps().size()
                           ? &m_document.history()->steps()[step]
                           : nullptr;
    switch (role) {
    case Qt::DisplayRole: return stepTitle(wanted.pass);
    case Qt::CheckStateRole: return wanted.isOn ? Qt::Checked : Qt::Unchecked;
    case Qt::ToolTipRole:
        if (done && done->failure) return QString::fromStdString(done->failure->toString());
        if (const Verification* verdict = verdictOf(step); verdict && pass)
            return QString(tx(pass->info().summaryId) + QStringLiteral("\n\n") + Check::detailsOf(*verdict));
        return pass ? tx(pass->info().summaryId) : QString();
    case verdictRole: return verdictOf(step) ? qs(verdictOf(step)->brief()) : QString();
    case verdictMarkRole: return static_cast<int>(markOf(verdictOf(step)));
    case subtitleRole: return stepSubtitle(step);
    case chipRole:
        return pass ? QString(QLatin1Char(exactnessLetter(exactnessOf(*pass, wanted)))) : QString();
    case isAheadRole: return step >= m_document.cursor();
    case isFailedRole: return done && (done->failure.has_value() || !done->questions.empty());
    default: return {};
    }
}

QString StepsModel::stepSubtitle(std::size_t step) const {
    const RecipeStep& wanted = m_document.session()->recipe().steps[step];
    if (!wanted.isOn) return tx("ui.steps.skipped");
    const History* history = m_document.history();
    if (!isAsRun(*m_document.session(), step)) return tx("ui.steps.not-run");
    const Step& done = history->steps()[step];
    if (done.failure) return tx("ui.steps.failed");
    if (wanted.pass == "choose-targets" && !history->targets().empty()) {
        QStringList parts;
        for (const ValueId target : history->targets())
            parts.append(nameText(history->model().name(target)));
        const QString names = listText(parts);
        for (const TargetCandidate& candidate : m_document.original()->targets.candidates)
            if (candidate.value == history->targets().front())
                return tx("ui.steps.target", {names, QString::number(candidate.score, 'f', 2)});
        return names;
    }
    const auto applied = std::count_if(done.records.begin(), done.records.end(),
                                       [](const RewriteRecord& r) { return !r.isSkipped; });
    if (!done.questions.empty()) return tx("ui.steps.asks", {QString::number(done.questions.size())});
    if (applied == 0) return tx("ui.steps.nothing");
    QStringList parts;
    parts.append(done.before.nodes == done.after.nodes
                     ? tx("ui.steps.rewrites", {countText(static_cast<std::uint64_t>(applied))})
                     : nodesDelta(done.before.nodes, done.after.nodes));
    if (done.before.fileBytes != done.after.fileBytes)
        parts.append(bytesDelta(done.before.fileBytes, done.after.fileBytes));
    parts.append(QString::fromStdString(formatSeconds(done.seconds)));
    return parts.join(QStringLiteral("   "));
}

QVariant StepsModel::childData(const QModelIndex& index, int role) const {
    const Step* step = stepAt(index);
    if (!step) return {};
    auto row = static_cast<std::size_t>(index.row());
    const Model& model = m_document.history()->model();
    const auto sentence = [&](const Reason& reason) {
        return QString::fromStdString(formatReason(reason, model));
    };
    if (row < step->questions.size()) {
        if (role == Qt::DisplayRole) return tx("ui.steps.question");
        if (role == subtitleRole || role == Qt::ToolTipRole) return sentence(step->questions[row].text);
        return {};
    }
    row -= step->questions.size();
    if (row < step->records.size()) {
        const RewriteRecord& record = step->records[row];
        const std::size_t erased = record.erased.size();
        switch (role) {
        case Qt::DisplayRole:
            if (erased > 1 && record.matched.size() != 1) return tx("ui.steps.removes", {countText(erased)});
            return record.root.isNone() ? QString::fromStdString(record.rule)
                                        : nodeName(m_document, record.root.index);
        case subtitleRole:
        case Qt::ToolTipRole: return sentence(record.reason);
        case Qt::CheckStateRole:
            return m_document.session()
                           ->recipe()
                           .steps[static_cast<std::size_t>(index.internalId()) - 1]
                           .skippedRewrites.contains(record.key)
                       ? Qt::Unchecked
                       : Qt::Checked;
        case isAheadRole: return record.isSkipped;
        default: return {};
        }
    }
    row -= step->records.size();
    const RewriteMiss& miss = step->misses[row];
    if (role == Qt::DisplayRole) return tx("ui.steps.miss", {nodeName(m_document, miss.node.index)});
    if (role == subtitleRole || role == Qt::ToolTipRole) return sentence(miss.reason);
    if (role == isAheadRole) return true;
    return {};
}

bool StepsModel::setData(const QModelIndex& index, const QVariant& value, int role) {
    if (role != Qt::CheckStateRole || !index.isValid()) return false;
    const bool isOn = value.toInt() == Qt::Checked;
    if (kindOf(index) == Kind::step) {
        m_document.setStepOn(static_cast<std::size_t>(index.row() - 1), isOn);
        return true;
    }
    const Step* step = stepAt(index);
    if (kindOf(index) != Kind::rewrite || !step) return false;
    const RewriteRecord& record =
        step->records[static_cast<std::size_t>(index.row()) - step->questions.size()];
    m_document.setRewriteOn(static_cast<std::size_t>(index.internalId()) - 1, record.key, isOn);
    return true;
}

QModelIndex StepsModel::rowOfCursor() const {
    return index(static_cast<int>(m_document.cursor()), 0);
}

std::vector<std::uint32_t> StepsModel::nodesOf(const QModelIndex& index) const {
    std::vector<std::uint32_t> keys;
    const Step* step = stepAt(index);
    if (!step || index.internalId() == 0) return keys;
    const auto add = [&keys](const std::vector<NodeId>& nodes) {
        for (const NodeId node : nodes)
            if (std::find(keys.begin(), keys.end(), node.index) == keys.end()) keys.push_back(node.index);
    };
    auto row = static_cast<std::size_t>(index.row());
    if (row < step->questions.size()) {
        add(step->questions[row].nodes);
        return keys;
    }
    row -= step->questions.size();
    if (row >= step->records.size()) {
        add({step->misses[row - step->records.size()].node});
        return keys;
    }
    const RewriteRecord& record = step->records[row];
    for (const NodeId node : record.erased.empty() ? record.matched : record.erased)
        keys.push_back(node.index);
    for (const NodeId node : record.created)
        keys.push_back(node.index);
    return keys;
}

} // namespace secateur
