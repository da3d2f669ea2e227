/** One scene, from an empty home to its picture. */
import type { Scene } from './scenes.ts';
import { PictureHome } from './stage.ts';
import { DARK, LIGHT, svgOf } from './svg.ts';

/** Returns the picture; the same scene gives the same bytes. */
export async function drawScene(scene: Scene): Promise<string> {
  const { cols, play, prepare, rows, title } = scene;
  const colours = scene.window === 'light' ? LIGHT : DARK;
  const home = await PictureHome.make(scene.home);
  try {
    prepare?.(home);
    const program = home.user.start({ cols, rows, env: home.env, background: colours.background });
    await play(program, home);
    const picture = svgOf(program.screen, { cols, rows, colours, title });
    // A turn that waits for its gate goes on until it is told to stop.
    home.open('npm');
    program.press('escape');
    await program.waitForQuiet(200);
    return picture;
  } finally {
    await home.dispose();
  }
}
