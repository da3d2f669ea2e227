import fc from 'fast-check';
import { expect, it } from 'vitest';
import { editField } from '../../../src/ui/commands/search.ts';
import { insert } from '../../../src/ui/composer/text-buffer.ts';
import { SMALLEST } from '../../../src/ui/frame.ts';
import { hostileText } from '../../render/text-arbitraries.ts';
import { answered, DeskScene, said, toolCall } from './desk.ts';

const size = fc.record({
  columns: fc.integer({ min: SMALLEST.columns, max: 160 }),
  rows: fc.integer({ min: SMALLEST.rows, max: 50 }),
});
const READING_KEYS = ['k', 'j', 'enter', 'o', 'end', 'escape', 'g', 'G', 'M', 'n', 'space', 'v'] as const;

it('whatever is read and pressed, the frame is as tall as the window and never wider, and something is chosen in it', () => {
  const keys = fc.array(fc.constantFrom(...READING_KEYS), { maxLength: 12 });
  fc.assert(
    fc.property(size, hostileText, fc.string({ maxLength: 3 }), keys, (window, text, needle, pressed) => {
      const scene = new DeskScene(
        [
          said('u', text),
          toolCall('t', text.repeat(9), 9_999),
          answered('a', text),
          said('v', 'x\n'.repeat(60)),
        ],
        window,
      );
      scene.update((state) => ({ ...state, marks: [{ kind: 'missing', at: 'a', count: 1, time: 0 }] }));
      const check = (): void => {
        const frame = scene.frame();
        expect(frame.rows).toHaveLength(window.rows);
        for (const row of frame.rows) expect(row.width).toBeLessThanOrEqual(window.columns);
        if (frame.cursor !== null) expect(frame.cursor.x).toBeLessThan(window.columns);
      };
      scene.run('transcript.search');
      editField(scene.desk, (field) => insert(field, needle));
      check();
      scene.run('transcript.browse');
      for (const key of pressed) {
        scene.press(key);
        check();
        const { browse, detail } = scene.view;
        if (browse !== null && detail === null)
          expect(scene.screen().some((row) => /^[▌▒]/.test(row))).toBe(true);
      }
    }),
    { numRuns: 60 },
  );
});
