import t from 'tap';
import {
  formatTraceparent,
  noTracer,
  parseTraceparent,
  runTraceparent,
} from '../../../runtime/observability/tracer.ts';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const spanId = 'b7ad6b7169203331';

t.test('a traceparent is read as W3C Trace Context says', async t => {
  t.same(parseTraceparent(`00-${traceId}-${spanId}-01`), { traceId, spanId, sampled: true });
  t.same(parseTraceparent(`00-${traceId}-${spanId}-00`), { traceId, spanId, sampled: false });
  t.same(parseTraceparent(`00-${traceId}-${spanId}-03`), { traceId, spanId, sampled: true }, 'other flags');
  t.same(
    parseTraceparent(`cc-${traceId}-${spanId}-01-what-comes-later`),
    { traceId, spanId, sampled: true },
    'a later version',
  );
  for (const [text, why] of [
    [undefined, 'none'],
    ['', 'empty'],
    [`ff-${traceId}-${spanId}-01`, 'a forbidden version'],
    [`00-${'0'.repeat(32)}-${spanId}-01`, 'no trace'],
    [`00-${traceId}-${'0'.repeat(16)}-01`, 'no span'],
    [`00-${traceId.toUpperCase()}-${spanId}-01`, 'capitals'],
    [`00-${traceId}-${spanId}-01-more`, 'more than version 00 has'],
    [`cc-${traceId}-${spanId}-01.more`, 'an end without its dash'],
    [`00-${traceId}-${spanId}`, 'no flags'],
    [`cc-${traceId}-${spanId}-01-${'x'.repeat(300)}`, 'too long'],
  ] as const) {
    t.equal(parseTraceparent(text), undefined, why);
  }
});

t.test('what is written is read', async t => {
  const context = { traceId, spanId, sampled: true };
  t.same(parseTraceparent(formatTraceparent(context)), context);
});

t.test('a run has the same trace everywhere', async t => {
  t.same(runTraceparent('run_1'), runTraceparent('run_1'));
  t.not(runTraceparent('run_1').traceId, runTraceparent('run_2').traceId);
  t.ok(parseTraceparent(formatTraceparent(runTraceparent('run_1'))));
});

t.test('a node that traces nothing opens no spans', async t => {
  const given = `00-${traceId}-${spanId}-01`;
  t.same(
    [
      noTracer.startRequest('a', given),
      noTracer.startRun('a', 'run_1'),
      noTracer.runParent('run_1'),
      noTracer.start('a', given),
    ],
    [undefined, undefined, undefined, undefined],
  );
});
