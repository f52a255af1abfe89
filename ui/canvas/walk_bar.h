// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QTimer>
#include <QWidget>

class QLabel;
class QSlider;
class QToolButton;

namespace secateur {

class Document;

/// Replays how pruning finds what the targets need: wave by wave against the edges. Shown while a walk is
/// followed; looking alone, never an edit.
class WalkBar : public QWidget {
    Q_OBJECT
  public:
    explicit WalkBar(Document& document, QWidget* parent = nullptr);
    /// Begins at the targets and plays, or ends the walk.
    void setFollowing(bool on);
    [[nodiscard]] bool isFollowing() const;
    [[nodiscard]] bool isPlaying() const { return m_timer.isActive(); }

  signals:
    void followingChanged(bool on);
    /// The walk was ended here: the focus may go back to the graph.
    void left();

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void changeEvent(QEvent* event) override;

  private:
    void setPlaying(bool on);
    void advance();
    void onWave();
    void updateIcons();

    Document& m_document;
    QToolButton* m_play = nullptr;
    QSlider* m_slider = nullptr;
    QLabel* m_words = nullptr;
    QToolButton* m_close = nullptr;
    QTimer m_timer;
    bool m_wasFollowing = false;
};

} // namespace secateur
