/** Message templates of the chat provider: what they say, and what has to be filled in. */
import type { ChatappTemplate } from '../../sdk/index.ts';

interface TextComponent {
  readonly type: string;
  readonly format?: string;
  readonly text?: string;
}

const placeholder = /\{\{\s*([\w.]+)\s*\}\}/g;

const listTexts = ({ components }: ChatappTemplate): readonly TextComponent[] =>
  (components as unknown as readonly TextComponent[]).filter(({ text }) => typeof text === 'string');

/** One value that a template asks for. */
export interface TemplateParameter {
  /** Of the component that it stands in: header or body. */
  readonly component: 'header' | 'body';
  /** A number, or a name. */
  readonly name: string;
}

export const getBody = (template: ChatappTemplate): string =>
  listTexts(template).find(({ type }) => type.toLowerCase() === 'body')?.text ?? '';

export function listParameters(template: ChatappTemplate): readonly TemplateParameter[] {
  const found: TemplateParameter[] = [];
  for (const { type, text = '' } of listTexts(template)) {
    const component = type.toLowerCase();
    if (component !== 'header' && component !== 'body') continue;
    for (const [, name = ''] of text.matchAll(placeholder)) {
      const isKnown = found.some(each => each.component === component && each.name === name);
      if (!isKnown) found.push({ component, name });
    }
  }
  return found;
}

/** The names of parameters are their numbers, or words that the business gave them. */
const isNumber = (name: string): boolean => /^\d+$/.test(name);
export const toValueKey = ({ component, name }: TemplateParameter): string => `${component} ${name}`;
export type TemplateValues = Readonly<Record<string, string>>;

/** What fills the parameters, as the provider wants it. */
export function toComponents(
  template: ChatappTemplate,
  values: TemplateValues,
): readonly Record<string, unknown>[] {
  const parameters = listParameters(template);
  return (['header', 'body'] as const)
    .map(component => ({
      type: component,
      parameters: parameters
        .filter(each => each.component === component)
        .map(each => ({
          type: 'text',
          ...(isNumber(each.name) ? {} : { parameter_name: each.name }),
          text: values[toValueKey(each)] ?? '',
        })),
    }))
    .filter(({ parameters: filled }) => filled.length > 0);
}

/** The text as it will read. What is not filled in stays as it is. */
export function fillBody(template: ChatappTemplate, values: TemplateValues): string {
  return getBody(template).replace(placeholder, (whole, name: string) => {
    const value = values[toValueKey({ component: 'body', name })];
    return value === undefined || value === '' ? whole : value;
  });
}
