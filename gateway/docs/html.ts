/** Templates for HTML: inserted text is escaped, inserted markup is not. */

/** Markup that is safe to insert. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Part = Html | string | number | undefined | false | readonly Part[];

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function show(part: Part): string {
  if (part === undefined || part === false) return '';
  if (part instanceof Html) return part.text;
  if (typeof part === 'object') return part.map(show).join('');
  return String(part).replace(/[&<>"']/g, character => escapes[character] ?? character);
}

/** `` html`<p>${text}</p>` ``: what is inserted is escaped, unless it is Html. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(
    strings.map((text, index) => (index === 0 ? text : show(parts[index - 1]) + text)).join(''),
  );
}

/** The little Markdown that descriptions use: paragraphs, and code between backticks. */
export function prose(markdown: string): Html {
  const paragraphs = markdown.split('\n\n').map(paragraph => {
    const pieces = paragraph
      .split('`')
      .map((piece, index) => (index % 2 === 1 ? html`<code>${piece}</code>` : piece));
    return html`<p>${pieces}</p>`;
  });
  return html`${paragraphs}`;
}
