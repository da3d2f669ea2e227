// Checks the arrows of the house, and that the check itself saw the house: an empty cruise is a failure.
import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { cruise } from 'dependency-cruiser';

const rules = createRequire(import.meta.url)('../../.dependency-cruiser.cjs');
const files = readdirSync('src', { recursive: true }).filter((name) => /\.tsx?$/.test(String(name)));
const { output } = await cruise(['src'], {
  ...rules.options,
  ruleSet: { forbidden: rules.forbidden },
  validate: true,
});
const seen = output.modules.filter((module) => module.source.startsWith('src/'));
const arrows = seen.reduce((sum, module) => sum + module.dependencies.length, 0);

for (const { rule, from, to } of output.summary.violations) console.error(`${rule.name}: ${from} → ${to}`);
console.log(
  `${seen.length} of ${files.length} modules, ${arrows} imports, ${output.summary.error} violations`,
);
if (seen.length !== files.length) console.error('not every module was seen: the check proves nothing');
process.exitCode = output.summary.error > 0 || seen.length !== files.length || arrows < seen.length ? 1 : 0;
