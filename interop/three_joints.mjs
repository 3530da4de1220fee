// What three.js makes of files, and Khronos' validator of the GLB files among them.
// Run by node with a JSON list of jobs, as blender_joints.py; writes one JSON line for each.
import fs from 'node:fs';

globalThis.self = globalThis; // the loaders were written for browsers
const THREE = await import('three');
const { BVHLoader } = await import('three/addons/loaders/BVHLoader.js');
const { GLTFLoader } = await import('three/addons/loaders/GLTFLoader.js');
const validator = (await import('gltf-validator')).default;

function fromBvh(data) {
  const { skeleton, clip } = new BVHLoader().parse(new TextDecoder().decode(data));
  const root = new THREE.Object3D();
  root.add(skeleton.bones[0]);
  return { root, bones: skeleton.bones.filter((bone) => bone.name !== 'ENDSITE'), clip };
}

async function fromGlb(data) {
  const buffer = data.buffer.slice(data.byteOffset, data.byteOffset + data.byteLength);
  const gltf = await new Promise((done, failed) => new GLTFLoader().parse(buffer, '', done, failed));
  const meshes = [];
  gltf.scene.traverse((object) => object.isSkinnedMesh && meshes.push(object));
  if (meshes.length !== 1) throw new Error(`${meshes.length} skinned meshes`);
  return { root: gltf.scene, bones: meshes[0].skeleton.bones, clip: gltf.animations[0] };
}

async function answer(job) {
  const data = fs.readFileSync(job.path);
  const glb = job.path.endsWith('.glb');
  const { root, bones, clip } = glb ? await fromGlb(data) : fromBvh(data);
  if (!bones.every((bone) => bone.isBone)) throw new Error('a joint is no bone');
  const times = clip.tracks.reduce((best, track) => (track.times.length > best.length ? track.times : best), []);
  const mixer = new THREE.AnimationMixer(root);
  const action = mixer.clipAction(clip);
  action.setLoop(THREE.LoopOnce);
  action.clampWhenFinished = true;
  action.play();
  const place = new THREE.Vector3();
  const places = job.frames.map((frame) => {
    action.paused = false;
    action.enabled = true;
    action.time = times[frame];
    mixer.update(0);
    root.updateMatrixWorld(true);
    return bones.map((bone) => bone.getWorldPosition(place).toArray());
  });
  const found = {
    path: job.path,
    names: bones.map((bone) => bone.name),
    parents: bones.map((bone) => (bone.parent?.isBone ? bone.parent.name : '')),
    frames: times.length,
    places,
  };
  if (glb) {
    const report = await validator.validateBytes(new Uint8Array(data));
    found.errors = report.issues.numErrors;
    found.warnings = report.issues.numWarnings;
    found.issues = report.issues.messages.slice(0, 5).map((issue) => `${issue.code} ${issue.pointer}`);
  }
  return found;
}

const lines = [];
for (const job of JSON.parse(fs.readFileSync(process.argv[2]))) {
  try {
    lines.push(JSON.stringify(await answer(job)));
  } catch (error) {
    lines.push(JSON.stringify({ path: job.path, error: String(error) }));
  }
}
fs.writeFileSync(process.argv[3], lines.join('\n') + '\n');
