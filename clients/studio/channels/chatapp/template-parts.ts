/** What a template is made of, in the provider's words, as far as it can be shown. */
import type { ChatappTemplate } from '../../../sdk/index.ts';

export interface TemplateButton {
  readonly text: string;
  /** Where it leads; empty: nowhere. */
  readonly to: string;
}

/** A value that is filled in when the template is sent. */
export interface TemplateParameter {
  /** A number, or a word that the business gave it. */
  readonly name: string;
  /** The business's own; empty: it gave none. */
  readonly example: string;
}

export interface TemplateParts {
  /** Empty: none. */
  readonly header: string;
  /** The kind of the header's file: image, video, document, location; undefined: it has none. */
  readonly file: string | undefined;
  readonly body: string;
  readonly footer: string;
  readonly buttons: readonly TemplateButton[];
  readonly parameters: readonly TemplateParameter[];
  /** Kinds of parts that are not shown. */
  readonly others: readonly string[];
}

type Node = Readonly<Record<string, unknown>>;

export const placeholder = /\{\{\s*(\w+)\s*\}\}/g;

const readText = (node: Node | undefined, name: string): string => {
  const value = node?.[name];
  return typeof value === 'string' ? value : '';
};

const readList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

export function toParts({ components }: Pick<ChatappTemplate, 'components'>): TemplateParts {
  const nodes: readonly Node[] = components;
  const toType = (node: Node): string => readText(node, 'type').toUpperCase();
  const find = (type: string): Node | undefined => nodes.find(node => toType(node) === type);
  const header = find('HEADER');
  const body = find('BODY');
  const format = readText(header, 'format').toLowerCase();
  return {
    header: readText(header, 'text'),
    file: header === undefined || format === '' || format === 'text' ? undefined : format,
    body: readText(body, 'text'),
    footer: readText(find('FOOTER'), 'text'),
    buttons: readList(find('BUTTONS')?.['buttons']).map(button => ({
      text: readText(button as Node, 'text'),
      to: readText(button as Node, 'url') || readText(button as Node, 'phone_number'),
    })),
    parameters: [...listParameters(header, 'header_text'), ...listParameters(body, 'body_text')],
    others: nodes.map(toType).filter(type => !['HEADER', 'BODY', 'FOOTER', 'BUTTONS', ''].includes(type)),
  };
}

/** Each once, with the examples that the business handed in: by place, or by name. */
function listParameters(node: Node | undefined, field: string): TemplateParameter[] {
  const names = [...readText(node, 'text').matchAll(placeholder)].map(([, name = '']) => name);
  const example = node?.['example'] as Node | undefined;
  const [first] = readList(example?.[field]);
  // Of a header the list is flat, of a body it is a list of lists.
  const byPlace = Array.isArray(first) ? (first as readonly unknown[]) : readList(example?.[field]);
  const named = readList(example?.[`${field}_named_params`]) as readonly Node[];
  return [...new Set(names)].map(name => {
    const value = named.find(each => readText(each, 'param_name') === name)?.['example'];
    const placed = byPlace[Number(name) - 1];
    return { name, example: [value, placed].find(each => typeof each === 'string') ?? '' };
  });
}
