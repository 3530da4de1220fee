"""Text FBX files made for the tests: a chain of bones with keyed rotations and a moving root."""

from __future__ import annotations

from collections.abc import Sequence

SECOND = 46186158000  # FBX's ticks in a second


def fbx_text(
    bones: Sequence[tuple[str, tuple[float, float, float], tuple[float, float, float]]],
    times: Sequence[float],
    keys: dict[tuple[int, str], Sequence[Sequence[float]]],
    *,
    unit: float = 1.0,
    up: int = 1,
    rate: float = 30.0,
    kind: str = "LimbNode",
) -> str:
    """bones: (name, translation, pre-rotation in degrees), one below the other; keys: (bone, "T" or "R") to (K, 3).

    `unit` is in centimetres, as FBX counts; `up` is 1 for y, 2 for z.
    """
    front = {1: (2, 1), 2: (1, -1)}[up]
    objects, links = "", ""
    for k, (name, place, pre) in enumerate(bones):
        objects += f"""
    NodeAttribute: {200 + k}, "NodeAttribute::{name}", "{kind}" {{
        TypeFlags: "{"Skeleton" if kind == "LimbNode" else "Null"}"
    }}
    Model: {100 + k}, "Model::{name}", "{kind}" {{
        Version: 232
        Properties70:  {{
            P: "RotationActive", "bool", "", "",1
            P: "PreRotation", "Vector3D", "Vector", "",{pre[0]},{pre[1]},{pre[2]}
            P: "Lcl Translation", "Lcl Translation", "", "A",{place[0]},{place[1]},{place[2]}
        }}
    }}"""
        links += f'\n    C: "OO",{100 + k},{99 + k if k else 0}\n    C: "OO",{200 + k},{100 + k}'
    stamps = ",".join(str(round(t * SECOND)) for t in times)
    for n, ((bone, what), values) in enumerate(keys.items()):
        node, name = 400 + n, {"T": "Lcl Translation", "R": "Lcl Rotation"}[what]
        objects += f"""
    AnimationCurveNode: {node}, "AnimCurveNode::{what}", "" {{
        Properties70:  {{
            P: "d|X", "Number", "", "A",0
            P: "d|Y", "Number", "", "A",0
            P: "d|Z", "Number", "", "A",0
        }}
    }}"""
        links += f'\n    C: "OO",{node},300\n    C: "OP",{node},{100 + bone}, "{name}"'
        for axis in range(3):
            curve = 500 + 3 * n + axis
            numbers = ",".join(str(float(v[axis])) for v in values)
            objects += f"""
    AnimationCurve: {curve}, "AnimCurve::", "" {{
        Default: 0
        KeyVer: 4008
        KeyTime: *{len(times)} {{
            a: {stamps}
        }}
        KeyValueFloat: *{len(times)} {{
            a: {numbers}
        }}
        KeyAttrFlags: *1 {{
            a: 4
        }}
        KeyAttrDataFloat: *4 {{
            a: 0,0,0,0
        }}
        KeyAttrRefCount: *1 {{
            a: {len(times)}
        }}
    }}"""
            links += f'\n    C: "OP",{curve},{node}, "d|{"XYZ"[axis]}"'
    stop = round(times[-1] * SECOND) if times else 0
    return f"""; FBX 7.4.0 project file
FBXHeaderExtension:  {{
    FBXHeaderVersion: 1003
    FBXVersion: 7400
}}
GlobalSettings:  {{
    Version: 1000
    Properties70:  {{
        P: "UpAxis", "int", "Integer", "",{up}
        P: "OriginalUpAxis", "int", "Integer", "",{up}
        P: "OriginalUpAxisSign", "int", "Integer", "",1
        P: "UpAxisSign", "int", "Integer", "",1
        P: "FrontAxis", "int", "Integer", "",{front[0]}
        P: "FrontAxisSign", "int", "Integer", "",{front[1]}
        P: "CoordAxis", "int", "Integer", "",0
        P: "CoordAxisSign", "int", "Integer", "",1
        P: "UnitScaleFactor", "double", "Number", "",{unit}
        P: "TimeMode", "enum", "", "",14
        P: "CustomFrameRate", "double", "Number", "",{rate}
    }}
}}
Objects:  {{{objects}
    AnimationStack: 301, "AnimStack::Take", "" {{
        Properties70:  {{
            P: "LocalStop", "KTime", "Time", "",{stop}
        }}
    }}
    AnimationLayer: 300, "AnimLayer::Base", "" {{
    }}
}}
Connections:  {{{links}
    C: "OO",300,301
}}
"""
