/** A sentence with names that others have given: each stands by itself, whatever direction it is written in. */
import { Fragment } from 'react';
import { type TextPart } from './named-parts.ts';

export function Sentence({ parts }: { readonly parts: readonly TextPart[] }) {
  return parts.map(({ text, isName }, index) =>
    isName ? <bdi key={index}>{text}</bdi> : <Fragment key={index}>{text}</Fragment>,
  );
}
