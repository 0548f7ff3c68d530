/** A text in its language, to be edited. Its undo history lasts as long as it is shown. */
import { useComputedColorScheme } from '@mantine/core';
import { EditorState } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { useEffect, useEffectEvent, useRef } from 'react';
import { createExtensions, type EditorLanguage } from './setup.ts';

interface CodeEditorProps {
  readonly label: string;
  readonly language: EditorLanguage;
  /** What it begins with; from then on it holds its own. */
  readonly initial: string;
  readonly onChange: (text: string) => void;
  readonly isReadOnly?: boolean;
}

export default function CodeEditor({ label, language, initial, onChange, isReadOnly }: CodeEditorProps) {
  const scheme = useComputedColorScheme();
  const host = useRef<HTMLDivElement>(null);
  const text = useRef(initial);
  const change = useEffectEvent((changed: string) => {
    text.current = changed;
    onChange(changed);
  });
  useEffect(() => {
    if (host.current === null) return undefined;
    const view = new EditorView({
      parent: host.current,
      state: EditorState.create({
        doc: text.current,
        extensions: [
          createExtensions({ label, language, isDark: scheme === 'dark', isReadOnly }),
          EditorView.updateListener.of(update => {
            if (update.docChanged) change(update.state.doc.toString());
          }),
        ],
      }),
    });
    return () => view.destroy();
  }, [label, language, scheme, isReadOnly]);
  return <div ref={host} />;
}
