/** One message: who wrote it, what it says and holds, what became of it, and what one can do with it. */
import { ActionIcon, Menu, Tooltip, UnstyledButton } from '@mantine/core';
import { Check, CheckCheck, CircleAlert, Clock, Ellipsis, Reply } from 'lucide-react';
import { memo, type ReactNode } from 'react';
import type { AgentRun, Message } from '../../sdk/index.ts';
import { canSendAgain } from '../composer/send-again.ts';
import { useTexts } from '../texts/index.ts';
import { Content, replacesBody } from './content.tsx';
import { Files } from './files.tsx';
import { LinkedText } from './linked-text.tsx';
import { toSafeHref } from './links.ts';
import { useFormats } from '../../kit/use-formats.ts';
import { type Names } from './names.tsx';
import type { Reaction } from './rows.ts';
import { useLoomVersion } from './use-loom-version.ts';
import classes from './bubble.module.css';

const ticks = { queued: Clock, sent: Check, delivered: CheckCheck, read: CheckCheck, failed: CircleAlert };

/** What one can do with a message of a list. */
export interface MessageActions {
  reply(message: Message): void;
  /** Leads to a message of the thread. */
  show(messageId: string): void;
  showTimeline(message: Message): void;
  showRun(agentRunId: string): void;
  /** Sends the text of one that failed once more. */
  sendAgain(message: Message): void;
}

export interface BubbleProps {
  readonly message: Message;
  readonly showsAuthor: boolean;
  readonly reactions: readonly Reaction[];
  /** The message that it answers, where it is known. */
  readonly quoted: Message | undefined;
  /** The run that has written it. */
  readonly run: AgentRun | undefined;
  /** Whether it failed and was sent once more. */
  readonly wasResent: boolean;
  readonly names: Names;
  readonly participantName: string;
  readonly actions: MessageActions;
}

export const Bubble = memo(function Bubble(props: BubbleProps) {
  const { message, showsAuthor, reactions, run, wasResent, names, participantName, actions } = props;
  const texts = useTexts().thread.message;
  const author = message.direction === 'inbound' ? participantName : names.actor(message.actor);
  return (
    <article
      className={classes['line']}
      data-direction={message.direction}
      data-author={message.actor?.type}
      data-state={message.status ?? undefined}
      data-first={showsAuthor || undefined}
      data-message={message.messageId}
      aria-label={author}
    >
      <div className={classes['column']}>
        {showsAuthor && (
          <div className={classes['author']}>
            <b>
              <bdi>{author}</bdi>
            </b>
            {message.actor?.type === 'agent' && <AgentMark run={run} />}
          </div>
        )}
        <div className={classes['bubble']}>
          <MessageHead {...props} />
          <MessageBody message={message} />
          <Foot message={message} />
        </div>
        {reactions.length > 0 && (
          <div className={classes['reactions']}>
            {reactions.map(({ emoji, direction }) => (
              <span key={direction} className={classes['reaction']} title={texts.reactedWith(emoji)}>
                {emoji}
              </span>
            ))}
          </div>
        )}
        {message.status === 'failed' && (
          <Failure
            message={message}
            onRetry={
              names.mayAnswer && !wasResent && canSendAgain(message)
                ? () => actions.sendAgain(message)
                : undefined
            }
          />
        )}
      </div>
      <Actions message={message} run={run} actions={actions} mayAnswer={names.mayAnswer} />
    </article>
  );
});

function MessageHead({ message, quoted, names, participantName, actions }: BubbleProps) {
  const texts = useTexts().thread.message;
  const { forwarded, replyTo, referral } = message;
  const quotedId = replyTo?.messageId ?? null;
  const href = referral?.sourceUrl == null ? undefined : toSafeHref(referral.sourceUrl);
  const title = referral?.headline ?? referral?.body ?? texts.referral;
  return (
    <>
      {forwarded !== undefined && <div className={classes['meta']}>{texts.forwarded[forwarded]}</div>}
      {referral !== undefined && (
        <div className={classes['quote']}>
          {texts.referral}:{' '}
          {href === undefined ? (
            <bdi>{title}</bdi>
          ) : (
            <a href={href} target="_blank" rel="noopener noreferrer nofollow">
              <bdi>{title}</bdi>
            </a>
          )}
        </div>
      )}
      {replyTo !== undefined && (
        <blockquote className={classes['quote']}>
          <UnstyledButton
            className={classes['quoted']}
            title={texts.showQuote}
            disabled={quotedId === null}
            onClick={() => quotedId !== null && actions.show(quotedId)}
          >
            {quoted === undefined ? (
              texts.unknownQuote
            ) : (
              <>
                <b>
                  <bdi>{quoted.direction === 'inbound' ? participantName : names.actor(quoted.actor)}</bdi>
                </b>{' '}
                <bdi>{quoted.body.slice(0, 200)}</bdi>
              </>
            )}
          </UnstyledButton>
        </blockquote>
      )}
    </>
  );
}

function MessageBody({ message }: { readonly message: Message }) {
  const texts = useTexts().thread.message;
  const { content, attachments, body } = message;
  const isText = content === undefined || content.type === 'text';
  const text = content?.type === 'media' ? (content.caption ?? body) : body;
  // Of a file without a caption the body only names the kind.
  const isShown =
    !replacesBody(message) && text !== '' && !(content?.type === 'media' && content.caption === null);
  return (
    <>
      {attachments.length > 0 && (
        <Files files={attachments} isVoice={content?.type === 'media' && content.voice === true} />
      )}
      {content !== undefined && <Content content={content} />}
      {isShown && <LinkedText text={text} />}
      {isText && text === '' && attachments.length === 0 && (
        <span className={classes['meta']}>{texts.empty}</span>
      )}
    </>
  );
}

function Foot({ message }: { readonly message: Message }) {
  const texts = useTexts().thread.message;
  const formats = useFormats();
  const { status } = message;
  const Tick = status == null ? undefined : ticks[status];
  return (
    <div className={classes['foot']}>
      <time dateTime={message.createdAt} title={formats.dateTime(message.createdAt)}>
        {formats.time(message.createdAt)}
      </time>
      {Tick !== undefined && status != null && (
        <Tick
          size={14}
          role="img"
          aria-label={texts.status[status]}
          className={classes['tick']}
          data-status={status}
        />
      )}
    </div>
  );
}

interface FailureProps {
  readonly message: Message;
  /** Undefined: the operator may not, it was done, or there is nothing left to send. */
  readonly onRetry: (() => void) | undefined;
}

function Failure({ message, onRetry }: FailureProps) {
  const texts = useTexts().thread.message;
  const { error } = message;
  const why = error?.message ?? error?.code ?? undefined;
  return (
    <div className={classes['problem']}>
      <span>{why === undefined ? texts.status.failed : texts.failedBecause(why)}</span>
      {error?.details?.outcome === 'unknown' && <span>{texts.unknownOutcome}</span>}
      {onRetry !== undefined && (
        <UnstyledButton onClick={event => event.detail < 2 && onRetry()}>{texts.retry}</UnstyledButton>
      )}
    </div>
  );
}

/** The version of the loom that has written a message. */
function AgentMark({ run }: { readonly run: AgentRun | undefined }) {
  const texts = useTexts().thread.message;
  const version = useLoomVersion(run);
  return (
    <span>
      {texts.agent} {version !== undefined && texts.version(version)}
    </span>
  );
}

interface ActionsProps {
  readonly message: Message;
  readonly run: AgentRun | undefined;
  readonly actions: MessageActions;
  readonly mayAnswer: boolean;
}

function Actions({ message, run, actions, mayAnswer }: ActionsProps): ReactNode {
  const texts = useTexts().thread.message;
  return (
    <div className={classes['actions']}>
      {mayAnswer && (
        <Tooltip label={texts.reply}>
          <ActionIcon size="sm" aria-label={texts.reply} onClick={() => actions.reply(message)}>
            <Reply size={14} />
          </ActionIcon>
        </Tooltip>
      )}
      {/* In none of the rows, which would cover it. */}
      <Menu position="bottom-end" portalProps={{ target: 'main' }}>
        <Menu.Target>
          <ActionIcon size="sm" aria-label={texts.actions}>
            <Ellipsis size={14} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {mayAnswer && <Menu.Item onClick={() => actions.reply(message)}>{texts.reply}</Menu.Item>}
          <Menu.Item onClick={() => actions.showTimeline(message)}>{texts.timeline}</Menu.Item>
          {run !== undefined && (
            <Menu.Item onClick={() => actions.showRun(run.agentRunId)}>{texts.run}</Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
    </div>
  );
}
