/** A conversation: its messages, what the operator writes, the agent beside it, and its participant. */
import { Alert, Button, Skeleton } from '@mantine/core';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { Suspense, useCallback, useEffect, useMemo, useState } from 'react';
import { tellFirstPage } from '../../kit/first-page.ts';
import { keepText } from '../../kit/keep-text.ts';
import { lazyPart } from '../../kit/lazy-part.ts';
import { useFormats } from '../../kit/use-formats.ts';
import { Announcements } from '../agent/announcements.tsx';
import { AgentPanel } from '../agent/agent-panel.tsx';
import { Composer } from '../composer/composer.tsx';
import { canSucceedLater } from '../composer/outbox.ts';
import { toOutgoingContent } from '../composer/send-again.ts';
import { ApiError, type Message } from '../../sdk/index.ts';
import { useEscape } from '../shell/escape.ts';
import { useStreamState } from '../live/stream-context.tsx';
import { useMentionsOfThread } from '../mentions/use-mentions.ts';
import { toParticipantName } from '../people/participant-name.ts';
import { useTexts } from '../texts/index.ts';
import { withoutMessage } from '../list/use-filters.ts';
import type { MessageActions } from './bubble.tsx';
import { useConversing } from './conversations-context.tsx';
import { MessageList } from './message-list.tsx';
import { useReplyTo } from './use-reply-to.ts';
import { useNames } from './names.tsx';
import type { OpenThread } from './open-thread.ts';
import { useOpenThread } from './use-open-thread.ts';
import type { ThreadState } from './thread-state.ts';
import { ThreadHeader } from './thread-header.tsx';
import { TurnOfEvents } from './turn-of-events.tsx';
import { UnseenNotice } from './unseen-notice.tsx';
import { type Action, useAction } from '../../kit/use-action.ts';
import { useViewing } from './use-viewing.ts';
import classes from './thread-pane.module.css';

/** After which a thread that could not be read is read again, in milliseconds. */
const readAgainMs = 2_000;

const ParticipantPanel = lazyPart(() => import('../participant/participant-panel.tsx'));
const RunDrawer = lazyPart(() => import('../agent/run-drawer.tsx'));
const TimelineDrawer = lazyPart(() => import('../agent/timeline-drawer.tsx'));

const route = '/signed-in/$projectId/$environmentId/$queue/$threadId';

export function ThreadPane() {
  const { threadId } = useParams({ from: route });
  const { open, state } = useOpenThread(threadId);
  useViewing(threadId);
  useMentionsOfThread(threadId);
  if (state.phase === 'failed') return <Failed open={open} error={state.error} />;
  if (state.thread === undefined) return <Reading />;
  // What is written, and what is open beside it, belongs to one thread.
  return <Conversation key={threadId} open={open} state={state} />;
}

type Shown =
  | { readonly is: 'run'; readonly agentRunId: string }
  | { readonly is: 'timeline'; readonly message: Message }
  | undefined;

const detailsKey = 'skein-shows-details';

function Conversation({ open, state }: { readonly open: OpenThread; readonly state: ThreadState }) {
  const { thread: texts, list: listTexts } = useTexts();
  const formats = useFormats();
  const { conversations, drafts } = useConversing();
  const names = useNames();
  const action = useAction();
  const [shown, setShown] = useState<Shown>();
  const [begun, setBegun] = useState(0);
  const replyTo = useReplyTo(open);
  const { showsDetails, toggleDetails, tagging, beginTag } = useDetails();
  const { message: foundId } = useSearch({ from: route });
  const navigate = useNavigate({ from: '/$projectId/$environmentId/$queue/$threadId' });
  const leaveFound = useCallback(() => navigate({ search: withoutMessage, replace: true }), [navigate]);
  const { thread } = state;
  const threadId = open.threadId;
  // The list beside it may come later, or not at all.
  useEffect(tellFirstPage, []);
  const actions = useMemo(
    (): MessageActions => ({
      reply: message => {
        drafts.update(threadId, { replyTo: message.messageId });
        setBegun(before => before + 1);
      },
      // Also once more the same.
      show: messageId =>
        void leaveFound().then(() =>
          navigate({ search: before => ({ ...before, message: messageId }), replace: true }),
        ),
      showTimeline: message => setShown({ is: 'timeline', message }),
      showRun: agentRunId => setShown({ is: 'run', agentRunId }),
      sendAgain: message => conversations.outbox.addAgain(toOutgoingContent(message), message),
    }),
    [conversations, drafts, threadId, navigate, leaveFound],
  );
  if (thread === undefined) return null;
  const participantName = toParticipantName(thread, listTexts.participantNames);
  // What was written before stays.
  const takeOver = (text: string): void => {
    const before = drafts.getText(threadId, 'reply').trimEnd();
    drafts.setText(threadId, 'reply', before === '' ? text : `${before}\n\n${text}`);
    setBegun(begun + 1);
  };
  const common = { open, state, thread, names, participantName, action };
  return (
    <div className={classes['pane']} data-details={showsDetails || undefined}>
      <section className={classes['conversation']} aria-label={participantName}>
        <ThreadHeader
          {...common}
          showsDetails={showsDetails}
          onToggleDetails={toggleDetails}
          onTags={beginTag}
        />
        <div className={classes['notices']}>
          <ActionProblem action={action} />
          <UnseenNotice {...common} />
          {thread.erasedAt != null && (
            <Alert color="gray" role="status">
              {texts.erased(formats.dateAndTime(thread.erasedAt))}
            </Alert>
          )}
          <TurnOfEvents {...common} />
        </div>
        <MessageList
          {...common}
          actions={actions}
          foundId={foundId}
          onLeaveFound={() => foundId !== undefined && void leaveFound()}
        />
        <div className={classes['foot']}>
          <Announcements state={state} names={names} />
          <AgentPanel {...common} onShowRun={actions.showRun} onTakeOver={takeOver} />
          <Composer {...common} replyTo={replyTo} begun={begun} />
        </div>
      </section>
      <Suspense>
        {showsDetails && <ParticipantPanel {...common} tagging={tagging} onClose={toggleDetails} />}
        {shown?.is === 'run' && (
          <RunDrawer agentRunId={shown.agentRunId} names={names} onClose={() => setShown(undefined)} />
        )}
        {shown?.is === 'timeline' && (
          <TimelineDrawer
            message={shown.message}
            names={names}
            onClose={() => setShown(undefined)}
            onShowRun={actions.showRun}
          />
        )}
      </Suspense>
    </div>
  );
}

function ActionProblem({ action }: { readonly action: Action }) {
  const texts = useTexts().thread;
  if (action.problem === undefined) return null;
  return (
    <Alert
      color="red"
      variant="light"
      role="alert"
      withCloseButton
      closeButtonLabel={texts.dismiss}
      onClose={action.dismiss}
    >
      {action.problem}
    </Alert>
  );
}

/** Whether the panel lies above the conversation, and not beside it: as in thread-pane.module.css. */
const isAbove = (): boolean => matchMedia('(max-width: 62em)').matches;

/**
 * The panel beside the conversation, and how often the operator wanted to write a tag in it. The next conversation has it, too, unless it would
 * hide what was written there.
 */
function useDetails() {
  const [showsDetails, setShowsDetails] = useState(
    () => localStorage.getItem(detailsKey) === 'true' && !isAbove(),
  );
  const [tagging, setTagging] = useState(0);
  const toggleDetails = (): void => {
    if (!isAbove()) keepText(localStorage, detailsKey, String(!showsDetails));
    setShowsDetails(!showsDetails);
  };
  useEscape('details', showsDetails ? toggleDetails : undefined);
  const beginTag = (): void => {
    if (!showsDetails) toggleDetails();
    setTagging(tagging + 1);
  };
  return { showsDetails, toggleDetails, tagging, beginTag };
}

function Reading() {
  const texts = useTexts().thread;
  return (
    <div className={classes['reading']} role="status" aria-label={texts.loading}>
      <Skeleton h={28} w="40%" mb="xl" />
      {['60%', '45%', '70%', '35%'].map((width, index) => (
        <Skeleton key={width} h={44} w={width} radius="md" ms={index % 2 === 0 ? 0 : 'auto'} />
      ))}
    </div>
  );
}

/** Whoever has opened it while the server could not be reached sees it when it can. */
function Failed({ open, error }: { readonly open: OpenThread; readonly error: unknown }) {
  const texts = useTexts().thread;
  const isMissing = error instanceof ApiError && (error.status === 404 || error.status === 403);
  const { is } = useStreamState();
  const mayComeBack = (is === 'online' || is === 'polling') && canSucceedLater(error);
  useEffect(() => {
    if (!mayComeBack) return undefined;
    const timer = setTimeout(() => void open.open(), readAgainMs);
    return () => clearTimeout(timer);
  }, [open, mayComeBack]);
  return (
    <div className={classes['failed']} role="alert">
      <p>{isMissing ? texts.notFound : texts.failed}</p>
      <Button variant="default" onClick={() => void open.open()}>
        {texts.readAgain}
      </Button>
    </div>
  );
}
