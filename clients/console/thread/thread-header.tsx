/** Above a thread: who it is with, by which channel, until when one may write freely; and what is done to it as a whole. */
import { ActionIcon, Badge, Button, Menu, SegmentedControl, Tooltip } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ArrowLeft, Check, Ellipsis, PanelRight, UserPlus } from 'lucide-react';
import { agentModes, type AgentMode } from '../agent/modes.ts';
import { toShownName } from '../../kit/shown-name.ts';
import type { Channel, Thread } from '../../sdk/index.ts';
import { closingSoonMs } from '../live/queues.ts';
import { ParticipantFace } from '../people/participant-face.tsx';
import { usePageCommands } from '../shell/page-commands.ts';
import { useTexts } from '../texts/index.ts';
import { useClient, useConversing } from './conversations-context.tsx';
import { useFormats } from '../../kit/use-formats.ts';
import { type Names } from './names.tsx';
import { withoutMessage } from '../list/use-filters.ts';
import { SnoozeItems, useSnoozeDialog } from './snooze-items.tsx';
import type { OpenThread } from './open-thread.ts';
import { useMinute } from '../../kit/use-now.ts';
import { useCopyLink } from './use-copy-link.ts';
import { useTagChange } from './use-tag-change.ts';
import { useThreadCommands } from './use-thread-commands.ts';
import { useThreadUpdate } from './use-thread-update.ts';
import type { Action } from '../../kit/use-action.ts';
import classes from './thread-header.module.css';

export interface ThreadHeaderProps {
  readonly open: OpenThread;
  readonly thread: Thread;
  readonly participantName: string;
  readonly names: Names;
  readonly action: Action;
  readonly showsDetails: boolean;
  readonly onToggleDetails: () => void;
  /** Leads to where tags are written. */
  readonly onTags: () => void;
}

export function ThreadHeader(props: ThreadHeaderProps) {
  const { open, thread, participantName, names, action, showsDetails, onToggleDetails, onTags } = props;
  const texts = useTexts().thread;
  const { projectId, environmentId } = useConversing();
  const update = useThreadUpdate(open, action);
  const isOpen = thread.status === 'open';
  const channel = useChannel(thread);
  const agentId = thread.agentId ?? channel?.defaultAgentId;
  const client = useClient();
  const closeOrReopen = (): void => void update({ status: isOpen ? 'closed' : 'open' });
  const assign = (to: string | null): void =>
    void action.run(async () => open.takeThread(await client.threads.assign(open.threadId, { userId: to })));
  const changeTag = useTagChange(open, action);
  const untag = (tag: string): void => void changeTag('removeTags', tag);
  const { isCopied, copyLink } = useCopyLink(action);
  useThreadCommands({ thread, names, update, untag, assign, copyLink, onToggleDetails, onTags });
  return (
    <header className={classes['head']}>
      <Link
        className={classes['back']}
        to="/$projectId/$environmentId/$queue"
        params={previous => ({ projectId, environmentId, queue: previous.queue ?? 'mine' })}
        search={withoutMessage}
        aria-label={texts.back}
      >
        <ArrowLeft size={18} />
      </Link>
      <ParticipantFace thread={thread} name={participantName} size={28} />
      <div className={classes['who']}>
        <h1 title={participantName}>
          <bdi>{participantName}</bdi>
        </h1>
        <Facts thread={thread} />
      </div>
      <div className={classes['tools']}>
        {/* To whoever may only read, the panel beside the conversation says how it stands. */}
        {names.mayAnswer && (
          <>
            <SegmentedControl
              size="xs"
              aria-label={texts.header.mode}
              value={thread.agentMode ?? names.agentMode(agentId) ?? ''}
              onChange={mode => void update({ agentMode: mode as AgentMode })}
              data={agentModes.map(mode => ({
                value: mode,
                label: texts.header.modes[mode],
              }))}
            />
            <AssignMenu {...props} assign={assign} />
            <Button
              variant="default"
              // The second click of two at once is not meant for the button that stands there by then.
              onClick={event => event.detail < 2 && closeOrReopen()}
            >
              {isOpen ? texts.header.close : texts.header.reopen}
            </Button>
          </>
        )}
        <Tooltip label={texts.header.details}>
          <ActionIcon aria-label={texts.header.details} aria-pressed={showsDetails} onClick={onToggleDetails}>
            <PanelRight size={16} />
          </ActionIcon>
        </Tooltip>
        <span className={classes['copied']} role="status">
          {isCopied && texts.header.linkCopied}
        </span>
        <MoreMenu {...props} copyLink={copyLink} />
      </div>
    </header>
  );
}

/** The channel, the status where it is not open, and the time that is left to write freely. */
function Facts({ thread }: { readonly thread: Thread }) {
  const texts = useTexts().thread;
  const formats = useFormats();
  const { serviceWindow, status, externalRef } = thread;
  const now = useMinute();
  const channel = useChannel(thread);
  const left = serviceWindow?.expiresAt == null ? undefined : Date.parse(serviceWindow.expiresAt) - now;
  return (
    <div className={classes['facts']}>
      {status !== 'open' && (
        <Badge size="xs" color="gray">
          {texts.status[status]}
        </Badge>
      )}
      {thread.snoozedUntil != null && (
        <Badge size="xs" color="gray">
          {texts.header.snoozedUntil(formats.dateAndTime(thread.snoozedUntil))}
        </Badge>
      )}
      {thread.subject != null && (
        <bdi className={classes['subject']} title={toShownName(thread.subject)}>
          {toShownName(thread.subject)}
        </bdi>
      )}
      {channel !== undefined && <bdi>{channel.name}</bdi>}
      {externalRef != null && (
        <bdi className={classes['reference']} title={toShownName(externalRef)}>
          {toShownName(externalRef)}
        </bdi>
      )}
      {serviceWindow != null && (
        <span
          className={classes['window']}
          data-urgent={(left !== undefined && left < closingSoonMs) || undefined}
        >
          {serviceWindow.open && left !== undefined && left > 0
            ? texts.header.windowCloses(formats.duration(left))
            : texts.header.windowClosed}
        </span>
      )}
    </div>
  );
}

function useChannel({ channelId }: Thread): Channel | undefined {
  const client = useClient();
  const { data } = useQuery({
    queryKey: ['channel', channelId],
    staleTime: 300_000,
    enabled: channelId != null,
    queryFn: () => client.channels.get(channelId ?? ''),
  });
  return data;
}

type AssignMenuProps = ThreadHeaderProps & { readonly assign: (userId: string | null) => void };

function AssignMenu({ thread, names, assign }: AssignMenuProps) {
  const texts = useTexts().thread;
  const { userId } = useConversing();
  const { assigneeUserId = null } = thread;
  const colleagues = names.colleagues.filter(({ canAnswer, isMe }) => canAnswer && !isMe);
  const label =
    assigneeUserId === null ? texts.header.assign : texts.header.assignTo(names.person(assigneeUserId));
  return (
    <Menu position="bottom-end" withinPortal={false}>
      <Menu.Target>
        <Button
          className={classes['assign']}
          variant="default"
          aria-label={label}
          title={label}
          leftSection={<UserPlus size={14} aria-hidden />}
        >
          <bdi className={classes['assignee']}>
            {assigneeUserId === null ? texts.header.assign : names.person(assigneeUserId)}
          </bdi>
        </Button>
      </Menu.Target>
      <Menu.Dropdown className={classes['people']}>
        {assigneeUserId !== userId && (
          <Menu.Item onClick={() => assign(userId)}>{texts.header.assignToMe}</Menu.Item>
        )}
        {assigneeUserId !== null && (
          <Menu.Item onClick={() => assign(null)}>{texts.header.unassign}</Menu.Item>
        )}
        {colleagues.length > 0 && <Menu.Divider />}
        {colleagues.map(colleague => (
          <Menu.Item
            key={colleague.userId}
            onClick={() => assign(colleague.userId)}
            rightSection={colleague.userId === assigneeUserId && <Check size={14} aria-hidden />}
          >
            <bdi>{colleague.name}</bdi>
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

interface MoreMenuProps extends ThreadHeaderProps {
  readonly copyLink: () => void;
}

function MoreMenu({ open, thread, names, action, copyLink, onToggleDetails }: MoreMenuProps) {
  const texts = useTexts().thread.header;
  const update = useThreadUpdate(open, action);
  const isArchived = thread.status === 'archived';
  const snooze = (until: Date): void => void update({ snoozedUntil: until.toISOString() });
  const ownSnooze = useSnoozeDialog(snooze);
  const canSnooze = names.mayAnswer && thread.status === 'open' && thread.snoozedUntil == null;
  usePageCommands(
    canSnooze
      ? [{ id: 'snooze-own', label: `${texts.snooze}: ${texts.snoozeOwn}`, run: ownSnooze.open }]
      : [],
  );
  const menu = (
    <Menu position="bottom-end" withinPortal={false}>
      <Menu.Target>
        <ActionIcon aria-label={texts.more}>
          <Ellipsis size={16} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={onToggleDetails}>{texts.details}</Menu.Item>
        <Menu.Item onClick={copyLink}>{texts.copyLink}</Menu.Item>
        {names.mayAnswer && <Menu.Divider />}
        {canSnooze && <SnoozeItems onChosen={snooze} onOwn={ownSnooze.open} />}
        {names.mayAnswer && thread.snoozedUntil != null && (
          <Menu.Item onClick={() => void update({ snoozedUntil: null })}>{texts.wake}</Menu.Item>
        )}
        {names.mayAnswer && (
          <>
            <Menu.Divider />
            <Menu.Item onClick={() => void update({ status: isArchived ? 'open' : 'archived' })}>
              {isArchived ? texts.restore : texts.archive}
            </Menu.Item>
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  );
  return (
    <>
      {menu}
      {ownSnooze.dialog}
    </>
  );
}
