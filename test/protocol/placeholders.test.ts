import t from 'tap';
import { findUnknownPlaceholder } from '../../protocol/placeholders.ts';

t.test('texts that hold placeholders, or none', async t => {
  for (const text of [
    '',
    'Hello {you}, 2 }} 3',
    'Hello {{participant.name}}!',
    '{{ operator.name }}{{participant.ref }}\n{{thread.customFields.order-no}}',
    '{{thread.customFields.größe}}',
  ]) {
    t.equal(findUnknownPlaceholder(text), undefined, text);
  }
});

t.test('what begins one and is none is named', async t => {
  for (const [text, unknown] of [
    ['a {{name}} b', '{{name}} b'],
    ['{{participant.name', '{{participant.name'],
    ['{{participant.names}}', '{{participant.names}}'],
    ['{{participant name}}', '{{participant name}}'],
    ['{{participantXname}}', '{{participantXname}}'],
    ['{{{participant.name}}}', '{{{participant.name}}}'],
    ['{{operator.name}} {{thread.customFields.}}', '{{thread.customFields.}}'],
    ['{{thread.customFields.a b}}', '{{thread.customFields.a b}}'],
    ['{{thread.customFields.{{operator.name}}}}', '{{thread.customFields.'],
    ['{{'.concat('x'.repeat(50)), '{{'.concat('x'.repeat(40))],
  ] as const) {
    t.equal(findUnknownPlaceholder(text), unknown);
  }
});
