/** The tags of a thread. */
import { ActionIcon, TextInput } from '@mantine/core';
import { X } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import type { Thread } from '../../sdk/index.ts';
import { useTexts } from '../texts/index.ts';
import type { OpenThread } from '../thread/open-thread.ts';
import { useTagChange } from '../thread/use-tag-change.ts';
import type { Action } from '../../kit/use-action.ts';
import classes from './participant.module.css';
import { isTag } from './tag.ts';

interface TagsProps {
  readonly open: OpenThread;
  readonly thread: Thread;
  readonly action: Action;
  /** How often the operator wanted to write a tag. */
  readonly tagging: number;
  readonly mayChange: boolean;
}

export function Tags({ open, thread, action, tagging, mayChange }: TagsProps) {
  const texts = useTexts().thread.participant;
  const change = useTagChange(open, action);
  const [text, setText] = useState('');
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (tagging > 0) input.current?.focus();
  }, [tagging]);
  const { tags = [] } = thread;
  const isBad = text !== '' && !isTag(text);
  const add = async (): Promise<void> => {
    if (text === '' || isBad) return;
    if (tags.includes(text) || (await change('addTags', text))) setText('');
  };
  if (!mayChange && tags.length === 0) return <p className={classes['none']}>{texts.noTags}</p>;
  return (
    <div className={classes['tags']}>
      {tags.map(tag => (
        <span key={tag} className={classes['tag']} data-fixed={!mayChange || undefined}>
          <bdi title={tag}>{tag}</bdi>
          {mayChange && (
            <ActionIcon
              size={14}
              aria-label={texts.removeTag(tag)}
              onClick={() => void change('removeTags', tag)}
            >
              <X size={10} />
            </ActionIcon>
          )}
        </span>
      ))}
      {mayChange && (
        <form
          onSubmit={event => {
            event.preventDefault();
            void add();
          }}
        >
          <TextInput
            ref={input}
            size="xs"
            aria-label={texts.addTag}
            placeholder={texts.addTag}
            error={isBad && texts.badTag}
            value={text}
            onChange={event => setText(event.currentTarget.value)}
          />
        </form>
      )}
    </div>
  );
}
