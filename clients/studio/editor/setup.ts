/** What every editor of Studio is made of: its keys, its looks in light and dark, and the nonce of the page's policy. */
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { json } from '@codemirror/lang-json';
import { defineLanguageFacet, HighlightStyle, Language, syntaxHighlighting } from '@codemirror/language';
import { EditorState, type Extension } from '@codemirror/state';
import { EditorView, keymap } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { parser } from '@lezer/markdown';
import { nonce } from '../../kit/nonce.ts';

export type EditorLanguage = 'markdown' | 'json';

// Without the languages of code blocks, which @codemirror/lang-markdown would bring: 65 KiB.
const markdown = new Language(defineLanguageFacet(), parser, [], 'markdown');

export interface EditorOptions {
  readonly label: string;
  readonly language: EditorLanguage;
  readonly isDark: boolean;
  readonly isReadOnly?: boolean;
}

export function createExtensions({
  label,
  language,
  isDark,
  isReadOnly = false,
}: EditorOptions): Extension[] {
  return [
    EditorView.cspNonce.of(nonce),
    EditorView.lineWrapping,
    EditorView.contentAttributes.of({ 'aria-label': label, ...(isReadOnly && { tabindex: '0' }) }),
    EditorState.readOnly.of(isReadOnly),
    EditorView.editable.of(!isReadOnly),
    history(),
    // Tab leads on, as everywhere: nobody is caught in an editor.
    keymap.of([...defaultKeymap, ...historyKeymap]),
    language === 'json' ? json() : markdown,
    createTheme(isDark),
    syntaxHighlighting(createHighlights(isDark)),
  ];
}

function createTheme(isDark: boolean): Extension {
  return EditorView.theme(
    {
      '&': {
        border: '1px solid var(--mantine-color-default-border)',
        borderRadius: 'var(--mantine-radius-sm)',
        background: 'var(--mantine-color-body)',
        fontSize: '13px',
      },
      '&.cm-focused': { outline: '2px solid var(--mantine-primary-color-filled)', outlineOffset: '-1px' },
      '.cm-content': { padding: '8px 4px', fontFamily: 'var(--mantine-font-family-monospace)' },
      '.cm-scroller': { minHeight: '120px', maxHeight: '60vh', overflow: 'auto' },
    },
    { dark: isDark },
  );
}

function createHighlights(isDark: boolean): HighlightStyle {
  const [strong, quiet, text, value] = isDark
    ? ['#91a7ff', '#9aa1ae', '#8ce99a', '#ffc078']
    : ['#3b5bdb', '#5c636e', '#1f6b33', '#a04500'];
  return HighlightStyle.define([
    { tag: tags.heading, color: strong, fontWeight: '600' },
    { tag: tags.strong, fontWeight: '600' },
    { tag: tags.emphasis, fontStyle: 'italic' },
    { tag: [tags.processingInstruction, tags.punctuation, tags.separator], color: quiet },
    { tag: [tags.propertyName, tags.monospace], color: strong },
    { tag: tags.string, color: text },
    { tag: [tags.number, tags.bool, tags.null], color: value },
  ]);
}
