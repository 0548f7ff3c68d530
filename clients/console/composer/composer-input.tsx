/** The text that is being written, and what can be chosen for the word at its caret. */
import { Textarea } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useId, type KeyboardEvent, type RefObject } from 'react';
import { isComposing } from '../../kit/is-composing.ts';
import type { Thread } from '../../sdk/index.ts';
import { useTexts } from '../texts/index.ts';
import type { Names } from '../thread/names.tsx';
import { Choices, moveInChoices, type Choice } from './choices.tsx';
import { isPastedAsFiles } from './pasting.ts';
import type { SendBy } from './send-setting.ts';
import { replaceToken } from './tokens.ts';
import { useChoices } from './use-choices.ts';
import type { Composition } from './use-composition.ts';
import classes from './composer.module.css';

interface ComposerInputProps {
  readonly input: RefObject<HTMLTextAreaElement | null>;
  readonly composition: Composition;
  readonly sendBy: SendBy;
  readonly names: Names;
  readonly thread: Thread;
}

export function ComposerInput({ input, composition, sendBy, names, thread }: ComposerInputProps) {
  const texts = useTexts().thread.composer;
  const { kind, text, write, send, attach, mention, rest } = composition;
  const choosing = useChoices(input, { kind, text, names, thread });
  const { choices, active, token, caret, hasNoReplies, missing } = choosing;
  const listId = useId();
  const isChoosing = choices.length > 0;

  const take = (choice: Choice): void => {
    if (token === undefined) return;
    const replaced = replaceToken(text, caret, token, choice.text);
    write(replaced.text);
    if (kind === 'note') mention(choice.id);
    choosing.close();
    // Behind what was put in, once it is there.
    requestAnimationFrame(() => input.current?.setSelectionRange(replaced.caret, replaced.caret));
  };
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>): void => {
    if (isComposing(event)) return;
    const move = moveInChoices(event, active, choices.length);
    if (move !== undefined) {
      event.preventDefault();
      const choice = choices[active];
      if (move === 'close') choosing.close();
      else if (move !== 'take') choosing.setActive(move.to);
      else if (choice !== undefined) take(choice);
      return;
    }
    if (missing !== undefined && event.key === 'Escape') {
      // Only the hint is left, and not the text: Enter sends it.
      event.preventDefault();
      return choosing.close();
    }
    if (event.key !== 'Enter' || event.shiftKey) return;
    if (!(event.ctrlKey || event.metaKey) && sendBy !== 'enter') return;
    event.preventDefault();
    // It stands for a reply that cannot be shown yet, and would leave as it is.
    if (missing === undefined) send();
  };

  return (
    <>
      {isChoosing && (
        <Choices
          id={listId}
          label={kind === 'note' ? texts.mentions : texts.cannedReplies}
          choices={choices}
          active={active}
          onTake={take}
        />
      )}
      {missing !== undefined && (
        <p className={classes['hint']} role="status">
          {missing === 'failed' ? texts.unreadCannedReplies : texts.readingCannedReplies}
        </p>
      )}
      {hasNoReplies && (
        <p className={classes['hint']} role="status">
          {texts.noCannedReplies}{' '}
          <Link to="/settings/canned-replies/$projectId" params={{ projectId: thread.projectId }}>
            {texts.writeCannedReplies}
          </Link>
        </p>
      )}
      <Textarea
        ref={input}
        className={classes['input']}
        data-kind={kind}
        autosize
        minRows={2}
        maxRows={10}
        dir="auto"
        aria-label={kind === 'reply' ? texts.reply : texts.note}
        aria-controls={isChoosing ? listId : undefined}
        aria-activedescendant={isChoosing ? `${listId}-${active}` : undefined}
        placeholder={kind === 'reply' ? texts.replyPlaceholder : texts.notePlaceholder}
        value={text}
        onChange={event => write(event.currentTarget.value)}
        onSelect={choosing.follow}
        onKeyDown={onKeyDown}
        onBlur={rest}
        onPaste={event => {
          const { files } = event.clipboardData;
          if (!isPastedAsFiles({ files, text: event.clipboardData.getData('text/plain') })) return;
          event.preventDefault();
          attach(files);
        }}
      />
    </>
  );
}
