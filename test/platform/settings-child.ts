/** Changes a settings file again and again: file, name, how often. */
import { updateSettings } from '../../src/platform/settings.ts';

const [file = '', name = '', times = '0'] = process.argv.slice(2);
for (let index = 0; index < Number(times); index += 1) {
  const written = updateSettings(file, (settings) => ({
    ...settings,
    workspaces: { ...settings.workspaces, [`/${name}${index}`]: {} },
  }));
  if (!written.ok) throw new Error(written.error.reason);
}
