/** A text of somebody else, as it was written: no markup is read in it, and its direction changes nothing around it. */
import { useMemo, useState } from 'react';
import { UnstyledButton } from '@mantine/core';
import { useTexts } from '../texts/index.ts';
import { splitMentions } from '../composer/mentions.ts';
import { cutLinks, splitLinks } from './links.ts';
import classes from './bubble.module.css';

/** A longer text is folded, so that one message does not fill the list: by its characters or by its lines. */
const foldedLength = 3_000;
const foldedLines = 60;

function fold(text: string): string {
  return text.slice(0, foldedLength).split('\n', foldedLines).join('\n');
}

interface LinkedTextProps {
  readonly text: string;
  /** Names of colleagues, which are marked where the text has them behind an `@`. */
  readonly mentions?: readonly string[] | undefined;
}

export function LinkedText({ text, mentions = [] }: LinkedTextProps) {
  const texts = useTexts().thread.message;
  const [isWhole, setWhole] = useState(false);
  const foldedTo = useMemo(() => fold(text).length, [text]);
  const isLong = foldedTo < text.length;
  const isFolded = isLong && !isWhole;
  const parts = useMemo(() => {
    const whole = splitLinks(text);
    return isFolded ? [...cutLinks(whole, foldedTo), { text: '…' }] : whole;
  }, [text, isFolded, foldedTo]);
  return (
    <div className={classes['text']}>
      <div dir="auto">
        {parts.map((part, index) =>
          'href' in part ? (
            <a key={index} href={part.href} target="_blank" rel="noopener noreferrer nofollow">
              {/* A character before it that turns the direction would turn the address, too. */}
              <bdi>{part.text}</bdi>
            </a>
          ) : (
            <Marked key={index} text={part.text} names={mentions} />
          ),
        )}
      </div>
      {isLong && (
        <UnstyledButton
          className={classes['fold']}
          onClick={() => setWhole(!isWhole)}
          aria-expanded={isWhole}
        >
          {isWhole ? texts.showLess : texts.showMore}
        </UnstyledButton>
      )}
    </div>
  );
}

function Marked({ text, names }: { readonly text: string; readonly names: readonly string[] }) {
  if (names.length === 0) return text;
  return splitMentions(text, names).map((part, index) =>
    part.isMention ? (
      <mark key={index} className={classes['mention']}>
        <bdi>{part.text}</bdi>
      </mark>
    ) : (
      part.text
    ),
  );
}
