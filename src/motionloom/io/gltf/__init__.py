"""glTF files (`.glb`, `.gltf`): reader and writer."""
