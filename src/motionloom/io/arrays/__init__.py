"""Files of arrays: NPZ, SMPL and HumanML3D features."""
