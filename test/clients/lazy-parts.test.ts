/** What each part of an app brings that is loaded after its first page. */
import t from 'tap';
import { partBudgetKiB, readParts } from './parts.ts';

for (const app of ['console', 'studio'] as const) {
  t.test(`the parts of ${app} keep to their budget`, async t => {
    const parts = await readParts(app);
    for (const { name, kib } of parts) t.ok(kib < partBudgetKiB, `${name}: ${kib.toFixed(1)} KiB, by gzip`);
    t.ok(parts.length > 20, 'most pages are parts');
    t.ok((parts[0]?.kib ?? 0) > partBudgetKiB / 5, 'and they are what is loaded');
  });
}
